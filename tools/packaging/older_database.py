"""Takes the last step of the schema of a server's database back: version 9, with all its data.

usage: older_database.py access.sqlite

The inverse of Sources/Access/AccessServer/Database/Schema/AccessSchema+KeyGenerations.swift.
"""

import sqlite3
import sys

database = sqlite3.connect(sys.argv[1])
version = database.execute("PRAGMA user_version").fetchone()[0]
if version != 10:
    sys.exit(f"error: the database has version {version}, and this program takes version 10 back to 9")
database.executescript(
    """
    BEGIN;
    DROP INDEX keyDeliveryByCounter;
    ALTER TABLE keyDelivery DROP COLUMN generation;
    ALTER TABLE card DROP COLUMN generation;
    INSERT INTO setting (name, value)
      SELECT CASE purpose
        WHEN 'authorization' THEN 'authorizationKey'
        WHEN 'issuerCryptogram' THEN 'issuerMasterKey'
        WHEN 'issuerCode' THEN 'issuerCVC3MasterKey'
        ELSE 'issuerScriptMasterKey' END, value
      FROM keyGeneration;
    DROP TABLE keyGeneration;
    PRAGMA user_version = 9;
    COMMIT;
    """)
database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
