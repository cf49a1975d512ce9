# SPDX-License-Identifier: MIT
"""`assay mcp`: by hand, message for message, and with the protocol's own client library where `make setup` could get it."""

import json
import os
import re
import shutil
import subprocess
import unittest

from project import BUILD, FolderTest, PROGRAM, ROOT, has

SDK = BUILD / "mcp_client/node_modules/@modelcontextprotocol/sdk"
SETTINGS = {**os.environ, "ASSAY_LEDGER": "none", "ASSAY_NVCC": "none", "ASSAY_CUDA_DRIVER": "none"}


class McpTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.root = self.folder / "root"
        shutil.copytree(ROOT / "kernels/triton_add", self.root / "kernel")
        shutil.copytree(ROOT / "kernels/triton_add", self.folder / "other")
        (self.root / "link").symlink_to(self.folder / "other")

    def talk(self, *messages):
        lines = [message if isinstance(message, str) else json.dumps(message) for message in messages]
        done = subprocess.run([str(PROGRAM), "mcp", str(self.root)], input="\n".join(lines) + "\n", text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=SETTINGS, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def call(self, name, *words):
        answer = self.talk({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                            "params": {"name": name, "arguments": {"arguments": list(words)}}})
        return answer[0]["result"]

    def test_begins_with_the_version_that_the_client_asks_for(self):
        answers = self.talk({"jsonrpc": "2.0", "id": "a", "method": "initialize",
                             "params": {"protocolVersion": "2024-11-05", "capabilities": {}}},
                            {"jsonrpc": "2.0", "method": "notifications/initialized"},
                            {"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
        self.assertEqual([answer["id"] for answer in answers], ["a", 2], "a notification has no answer")
        self.assertEqual(answers[0]["result"]["protocolVersion"], "2024-11-05")
        self.assertEqual(answers[0]["result"]["serverInfo"]["name"], "assay")
        tools = {tool["name"]: tool for tool in answers[1]["result"]["tools"]}
        self.assertIn("check", tools)
        self.assertIn("usage: assay check", tools["check"]["description"])
        self.assertEqual(tools["check"]["inputSchema"]["type"], "object")

    def test_a_tool_gives_the_commands_document(self):
        result = self.call("check", "kernel", "--shape", "N=513", "--device", "vgpu:l4")
        self.assertFalse(result["isError"])
        self.assertEqual(result["structuredContent"]["verdict"], "correct")
        self.assertEqual(result["structuredContent"]["exit_code"], 0)
        self.assertEqual(json.loads(result["content"][0]["text"]), result["structuredContent"])

    def test_a_zero_in_a_word_hides_no_path(self):
        for word in ("..\0x", "../other\0x", "kernel\0"):
            answer = self.talk({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                                "params": {"name": "check", "arguments": {"arguments": [word]}}})
            self.assertIn("a list of words", answer[0]["error"]["message"])

    def test_requests_that_make_no_sense_are_answered(self):
        answers = self.talk("not json", "[" * 100000, "null", {"jsonrpc": "2.0", "id": 1, "method": 5},
                            {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": []},
                            {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "check", "arguments": 7}},
                            {"jsonrpc": "2.0", "id": 4, "method": "ping"})
        codes = [answer.get("error", {}).get("code") for answer in answers]
        self.assertEqual(codes, [-32700, -32700, -32600, -32600, -32602, -32602, None], "and the last one is served")

    def test_a_command_that_cannot_work_is_an_error(self):
        result = self.call("check", "nothing_here")
        self.assertTrue(result["isError"])
        self.assertIn("nothing_here", result["content"][0]["text"])

    def test_nothing_outside_of_the_folder_is_touched(self):
        for word in ("..", "../other", str(self.folder / "other"), "link", "kernel/../../other", "--ledger=/tmp/x.db"):
            result = self.call("check", word)
            self.assertTrue(result["isError"], word)
            self.assertIn("lies outside", result["content"][0]["text"], word)

    def test_specifications_lead_nowhere_outside(self):
        mark = self.folder / "was_run"
        (self.folder / "reference.py").write_text(f"open({str(mark)!r}, 'w')\ndef reference(**given):\n    return 0\n")
        text = (self.root / "kernel/kernel.toml").read_text()
        for old, new in ((r'(?m)^source *=.*', 'source = "../../other/add_kernel.ptx"'),
                         (r'(?m)^reference *=.*', 'reference = "../../reference.py"')):
            changed = re.sub(old, new, text, count=1)
            self.assertNotEqual(changed, text)
            (self.root / "kernel/kernel.toml").write_text(changed)
            result = self.call("check", "kernel", "--device", "vgpu:l4")
            self.assertTrue(result["isError"])
            self.assertIn("lies outside", result["content"][0]["text"])
        self.assertFalse(mark.exists(), "nothing outside is executed")
        (self.root / "suite.toml").write_text('[suite]\nname = "s"\n[[kernel]]\nfolder = "../other"\n')
        self.assertIn("lies outside", self.call("suite", "suite.toml")["content"][0]["text"])

    def test_every_command_but_those_that_run_anything_is_a_tool(self):
        answer = self.talk({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})[0]
        tools = {tool["name"] for tool in answer["result"]["tools"]}
        pages = {page.stem for page in (ROOT / "docs/cli").glob("*.md")}
        self.assertEqual(tools, pages - {"assay", "mcp", "evolve", "work"})
        result = self.call("explain", "race")
        self.assertFalse(result["isError"])
        self.assertEqual(result["structuredContent"]["exit_code"], 0)

    def test_misspelt_members_are_refused(self):
        answer = self.talk({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                            "params": {"name": "check", "arguments": {"argument": ["kernel"]}}})[0]
        self.assertEqual(answer["error"]["code"], -32602)
        for word in ("A=../x", "a,../other", "--config=A=1,B=../x"):
            self.assertIn("lies outside", self.call("check", "kernel", word)["content"][0]["text"])

    def test_nonsense_is_answered_with_the_codes_of_json_rpc(self):
        answers = self.talk("{", "[1]", {"jsonrpc": "2.0", "id": 3, "method": "no/such"},
                            {"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "rm"}},
                            {"jsonrpc": "2.0", "id": 5, "method": "tools/call",
                             "params": {"name": "check", "arguments": {"arguments": [1]}}})
        self.assertEqual([answer["error"]["code"] for answer in answers[:1] + answers[1] + answers[2:]],
                         [-32700, -32600, -32601, -32602, -32602])

    def test_messages_that_are_no_requests_of_json_rpc(self):
        answers = self.talk({"jsonrpc": "2.0", "id": None, "method": "ping"}, {"id": 1, "method": "ping"},
                            {"jsonrpc": "1.0", "id": 2, "method": "ping"}, {"jsonrpc": "2.0", "id": {}, "method": "ping"},
                            {"jsonrpc": "2.0", "id": 3, "method": "ping", "params": [1]},
                            {"jsonrpc": "2.0", "id": 4, "result": {}}, " \t\r",
                            {"jsonrpc": "2.0", "id": 5, "method": "ping", "params": {}})
        self.assertEqual([(answer["id"], answer.get("error", {}).get("code")) for answer in answers],
                         [(None, -32600), (1, -32600), (2, -32600), (None, -32600), (3, -32602), (5, None)],
                         "nothing is said to an answer, nor to an empty line")

    def test_a_batch_is_answered_together(self):
        answers = self.talk([{"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"jsonrpc": "2.0", "method": "note"}, 7,
                             {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
                              "params": {"name": "explain", "arguments": {"arguments": ["race"]}}}],
                            [{"jsonrpc": "2.0", "method": "note"}], [])
        self.assertEqual(len(answers), 2, "only notifications: no answer")
        batch = answers[0] if isinstance(answers[0], list) else answers[1]
        alone = answers[1] if batch is answers[0] else answers[0]
        self.assertEqual([answer["id"] for answer in batch], [1, None, 2])
        self.assertEqual(alone["error"]["code"], -32600, "a batch of nothing")

    def test_a_tool_that_runs_does_not_keep_others_waiting_and_can_be_cancelled(self):
        server = subprocess.Popen([str(PROGRAM), "mcp", str(self.root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True, env=SETTINGS)
        try:
            long = {"name": "check", "arguments": {"arguments": ["kernel", "--device", "vgpu:l4", "--repeat", "100000"]}}
            for message in ({"id": 1, "method": "tools/call", "params": long},
                            {"id": 2, "method": "tools/call", "params": long},
                            {"id": 3, "method": "tools/call",
                             "params": {"name": "explain", "arguments": {"arguments": ["race"]}}},
                            {"id": 4, "method": "ping"}):
                server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            server.stdin.flush()
            self.assertEqual(json.loads(server.stdout.readline())["id"], 4, "answered while the first tool runs")
            for request in (2, 1, 99):
                server.stdin.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled",
                                               "params": {"requestId": request}}) + "\n")
            server.stdin.flush()
            self.assertEqual(json.loads(server.stdout.readline())["id"], 3, "those that were cancelled have no answer")
            server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": long}) + "\n")
            server.stdin.close()
            server.stdout.close()
            self.assertEqual(server.wait(timeout=60), 0, "nobody listens: the tool is ended")
        finally:
            server.kill()
            server.wait()

    def test_help_is_text(self):
        result = self.call("check", "--help")
        self.assertFalse(result["isError"])
        self.assertIn("usage: assay check", result["content"][0]["text"])
        self.assertNotIn("structuredContent", result)

    @unittest.skipUnless(has("node") and SDK.is_dir(), "no client library here: make setup gets it where npm is")
    def test_the_client_library_of_the_protocol_gets_along_with_it(self):
        done = subprocess.run(["node", str(ROOT / "tests/project/mcp/client.mjs"), str(SDK), str(PROGRAM), str(self.root)],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=SETTINGS, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        seen = json.loads(done.stdout)
        self.assertEqual(seen["server"], "assay")
        self.assertIn("sanitize", seen["tools"])
        self.assertEqual(seen["check"]["structuredContent"]["verdict"], "correct")
        self.assertFalse(seen["doctor"]["isError"], seen["doctor"])
        self.assertTrue(seen["outside"]["isError"])


if __name__ == "__main__":
    unittest.main()
