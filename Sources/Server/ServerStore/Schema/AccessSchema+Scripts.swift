extension AccessSchema {
  /// Version 8: orders of issuer scripts. A card has one for each subject, so a newer one replaces it.
  static let scriptOrders = """
    CREATE TABLE cardScript (
      card TEXT NOT NULL REFERENCES card (id) ON DELETE CASCADE,
      subject TEXT NOT NULL,
      id TEXT NOT NULL UNIQUE,
      command TEXT NOT NULL,
      value BLOB NOT NULL,
      createdAt INTEGER NOT NULL,
      sent INTEGER NOT NULL CHECK (sent >= 0),
      sentAt INTEGER,
      PRIMARY KEY (card, subject)
    ) STRICT;
    """
}
