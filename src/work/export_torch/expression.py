# SPDX-License-Identifier: MIT
"""Arithmetic over names, as kernel.toml writes it: "ceil_div(S, BLOCK_M)".

Integers are exact; `/` of two integers is an integer if it divides evenly and a real number otherwise. Element types
are written as text ("f16"), other words in quotes ('row_major'); the value of both is a string.
"""

import math
import re

SIZES = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "u8": 1, "u16": 2, "u32": 4,
         "u64": 8, "e4m3": 1, "e5m2": 1, "i4": 0.5, "u4": 0.5}
TOKEN = re.compile(r"\s*(?:\d[\w.]*(?:(?<=[eE])[+-]\d+)?|\.\d\w*|[A-Za-z_]\w*|'[^']*'|\|\||&&|[=!<>]=|[-+*/%<>!?:(),])")
LEVELS = [["||"], ["&&"], ["==", "!=", "<=", ">=", "<", ">"], ["+", "-"], ["*", "/", "%"]]


class Mistake(ValueError):
    pass


def whole(value):
    """Integers, booleans, and real numbers without a fraction."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float):
        if value != math.floor(value):
            raise Mistake(f"{value} is not a whole number")
        return int(value)
    if isinstance(value, str):
        raise Mistake(f"{value} is a word; expected a whole number")
    return value


def real(value):
    if isinstance(value, str):
        raise Mistake(f"{value} is a word; expected a number")
    return float(value)


def condition(value):
    if isinstance(value, (float, str)):
        raise Mistake(f"{value} is no condition")
    return bool(value)


def exact(value):
    return not isinstance(value, (float, str))


def divide(a, b):
    if b == 0:
        raise Mistake("division by zero")
    if exact(a) and exact(b):
        a, b = whole(a), whole(b)
        return a // b if a % b == 0 else a / b
    return real(a) / real(b)


def remainder(a, b):
    a, b = whole(a), whole(b)
    if b == 0:
        raise Mistake("remainder of a division by zero")
    return a % b if (a >= 0) == (b >= 0) or a % b == 0 else a % b - b


def ceil_div(a, b):
    a, b = whole(a), whole(b)
    if b <= 0 or a < 0:
        raise Mistake(f"ceil_div({a}, {b}): expected no negative numbers")
    return (a + b - 1) // b


def extreme(choose):
    def chosen(*values):
        if all(exact(value) for value in values):
            return choose(whole(value) for value in values)
        return choose(real(value) for value in values)
    return chosen


def power(a, b):
    if exact(a) and exact(b) and b >= 0:
        return whole(a) ** whole(b)
    return real(a) ** real(b)


def next_pow2(value):
    value, result = whole(value), 1
    while result < value:
        result *= 2
    return result


FUNCTIONS = {"ceil_div": ceil_div, "round_up": lambda a, b: ceil_div(a, b) * whole(b), "min": extreme(min),
             "max": extreme(max), "pow": power, "sqrt": lambda x: math.sqrt(real(x)), "log2": lambda x: math.log2(real(x)),
             "floor": lambda x: whole(x) if exact(x) else math.floor(real(x)),
             "ceil": lambda x: whole(x) if exact(x) else math.ceil(real(x)),
             "abs": lambda x: abs(whole(x)) if exact(x) else abs(x), "next_pow2": next_pow2, "sizeof": SIZES.__getitem__}


def equal(a, b):
    if isinstance(a, str) != isinstance(b, str):
        raise Mistake(f"{a} cannot be compared with {b}")
    return a == b


def arithmetic(exactly):
    def applied(a, b):
        return exactly(whole(a), whole(b)) if exact(a) and exact(b) else exactly(real(a), real(b))
    return applied


OPERATORS = {"==": equal, "!=": lambda a, b: not equal(a, b), "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
             ">": lambda a, b: a > b, ">=": lambda a, b: a >= b, "+": arithmetic(lambda a, b: a + b),
             "-": arithmetic(lambda a, b: a - b), "*": arithmetic(lambda a, b: a * b), "/": divide, "%": remainder}


class Expression:
    def __init__(self, text):
        self.text = str(text)
        self.tokens, at = [], 0
        while at < len(self.text.rstrip()):
            token = TOKEN.match(self.text, at)
            if not token:
                raise Mistake(f"unexpected '{self.text[at]}' in \"{self.text}\"")
            self.tokens.append(token[0].strip())
            at = token.end()
        self.at = 0
        self.node = self.choice()
        if self.at != len(self.tokens):
            raise Mistake(f"\"{self.text}\" has more than one expression")

    # --- the text to nodes: functions of the scope
    def take(self, *wanted):
        if self.at < len(self.tokens) and self.tokens[self.at] in wanted:
            self.at += 1
            return self.tokens[self.at - 1]
        return None

    def expect(self, wanted):
        if not self.take(wanted):
            raise Mistake(f"'{wanted}' is missing in \"{self.text}\"")

    def choice(self):
        test = self.level(0)
        if not self.take("?"):
            return test
        if_true = self.choice()
        self.expect(":")
        if_false = self.choice()
        return lambda scope: if_true(scope) if condition(test(scope)) else if_false(scope)

    def level(self, depth):
        if depth == len(LEVELS):
            return self.unary()
        left = self.level(depth + 1)
        while word := self.take(*LEVELS[depth]):
            left = self.joined(word, left, self.level(depth + 1))
        return left

    @staticmethod
    def joined(word, left, right):
        if word == "||":
            return lambda scope: condition(left(scope)) or condition(right(scope))
        if word == "&&":
            return lambda scope: condition(left(scope)) and condition(right(scope))
        return lambda scope: OPERATORS[word](left(scope), right(scope))

    def unary(self):
        word = self.take("+", "-", "!")
        if not word:
            return self.primary()
        operand = self.unary()
        if word == "-":
            return lambda scope: -whole(operand(scope)) if exact(operand(scope)) else -operand(scope)
        return operand if word == "+" else lambda scope: not condition(operand(scope))

    def primary(self):
        if self.take("("):
            inner = self.choice()
            self.expect(")")
            return inner
        if self.at == len(self.tokens):
            raise Mistake(f"\"{self.text}\" ends too early")
        word = self.tokens[self.at]
        self.at += 1
        if word[0].isdigit() or word[0] == ".":
            number = float(word) if re.search("[.eE]", word) else int(word)
            return lambda scope: number
        if word[0] == "'":
            return lambda scope: word[1:-1]
        if self.take("("):
            return self.call(word)
        if word in ("true", "false"):
            return lambda scope: word == "true"
        if word in SIZES:
            return lambda scope: word
        return lambda scope: self.look_up(word, scope)

    def call(self, name):
        if name not in FUNCTIONS:
            raise Mistake(f"unknown function \"{name}\"")
        arguments = []
        while not self.take(")"):
            arguments.append(self.choice())
            if not self.take(","):
                self.expect(")")
                break
        return lambda scope: FUNCTIONS[name](*[argument(scope) for argument in arguments])

    def look_up(self, name, scope):
        if name not in scope:
            raise Mistake(f"\"{name}\" in \"{self.text}\" has no value")
        return scope[name]

    # --- values
    def value(self, scope):
        return self.node(scope)

    def integer(self, scope):
        return whole(self.node(scope))

    def holds(self, scope):
        return condition(self.node(scope))


def expand(template, scope):
    """"softmax_{dtype}" with its names filled in."""
    def text(match):
        value = scope[match[1]]
        return str(value).lower() if isinstance(value, bool) else str(value)
    return re.sub(r"\{(\w+)\}", text, template)
