# SPDX-License-Identifier: MIT
"""python3 sql.py FILE STATEMENT: writes into a database, as nobody should into a ledger."""
import sqlite3
import sys

connection = sqlite3.connect(sys.argv[1])
connection.execute("PRAGMA writable_schema = ON")
connection.executescript(sys.argv[2])
connection.commit()
connection.close()
