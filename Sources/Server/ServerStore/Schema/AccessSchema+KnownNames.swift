extension AccessSchema {
  /// Version 11: a name that was ever used is the name of a user, and users are found by their folded names. SQL cannot fold, so
  /// the next start of a server fills the column.
  ///
  /// The audit trail and the deactivations have names of which nothing else is left. An attempt that failed used no name.
  static let knownNames = """
    ALTER TABLE "user" ADD COLUMN foldedName TEXT;
    CREATE INDEX userByFoldedName ON "user" (foldedName);
    INSERT INTO "user" (name, createdAt)
      SELECT account, min(createdAt) FROM (
        SELECT account, createdAt FROM credential
        UNION ALL SELECT account, createdAt FROM device
        UNION ALL SELECT account, createdAt FROM registrationToken
        UNION ALL SELECT owner, createdAt FROM deactivation WHERE kind = 'account'
        UNION ALL SELECT account, at FROM audit
          WHERE event IN ('registration', 'authentication', 'deregistration') AND result = '1200'
            OR event IN ('userAdded', 'targetAdded', 'targetChanged', 'targetRemoved', 'credentialRemoved')
      ) AS used
      WHERE account IS NOT NULL AND NOT EXISTS (SELECT 1 FROM "user" WHERE name = account)
      GROUP BY account;
    """
}
