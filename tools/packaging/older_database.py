"""Takes the last steps of the schema of a server's database back: version 9, with all its data.

usage: older_database.py access.sqlite

The inverse of AccessSchema+KeyGenerations.swift and of the steps after it, in
Sources/Server/ServerStore/Schema.
"""

import sqlite3
import sys

# The inverse of each step, by the version that the step makes.
INVERSES = {
    12: """
    DROP TABLE movedDevice;
    DELETE FROM setting WHERE name = 'audienceSince';
    """,
    11: """
    ALTER TABLE outOfBandToken DROP COLUMN authorizingKeys;
    ALTER TABLE challenge DROP COLUMN authorizingKeys;
    ALTER TABLE "authorization" DROP COLUMN keys;
    DROP INDEX userByFoldedName;
    ALTER TABLE "user" DROP COLUMN foldedName;
    """,
    10: """
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
    """,
}

database = sqlite3.connect(sys.argv[1])
version = database.execute("PRAGMA user_version").fetchone()[0]
newest = max(INVERSES)
if version != newest:
    sys.exit(f"error: the database has version {version}, and this program takes version {newest} back to 9")
steps = "".join(INVERSES[version] for version in sorted(INVERSES, reverse=True))
database.executescript(f"BEGIN; {steps} PRAGMA user_version = 9; COMMIT;")
database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
