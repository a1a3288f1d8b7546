extension AccessSchema {
  /// Generations of the server's keys. What was made with a key keeps its generation; the first one has the keys of older
  /// versions.
  static let keyGenerations = """
    CREATE TABLE keyGeneration (
      purpose TEXT NOT NULL,
      generation INTEGER NOT NULL CHECK (generation >= 1),
      value BLOB NOT NULL,
      createdAt INTEGER NOT NULL,
      acceptedUntil INTEGER,
      PRIMARY KEY (purpose, generation)
    ) STRICT;
    INSERT INTO keyGeneration (purpose, generation, value, createdAt)
      SELECT CASE name
        WHEN 'authorizationKey' THEN 'authorization'
        WHEN 'issuerMasterKey' THEN 'issuerCryptogram'
        WHEN 'issuerCVC3MasterKey' THEN 'issuerCode'
        ELSE 'issuerScript' END, 1, value, 0
      FROM setting
      WHERE name IN ('authorizationKey', 'issuerMasterKey', 'issuerCVC3MasterKey', 'issuerScriptMasterKey');
    DELETE FROM setting
      WHERE name IN ('authorizationKey', 'issuerMasterKey', 'issuerCVC3MasterKey', 'issuerScriptMasterKey');
    ALTER TABLE card ADD COLUMN generation INTEGER NOT NULL DEFAULT 1 CHECK (generation >= 1);
    ALTER TABLE keyDelivery ADD COLUMN generation INTEGER NOT NULL DEFAULT 1 CHECK (generation >= 1);
    CREATE INDEX keyDeliveryByCounter ON keyDelivery (card, place, firstCounter);
    """
}
