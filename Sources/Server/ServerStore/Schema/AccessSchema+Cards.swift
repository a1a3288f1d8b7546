extension AccessSchema {
  /// Adds the cards of the issuer. The ranges of counters are those of tag 9F36.
  static let cardTables = """
    CREATE TABLE card (
      id TEXT NOT NULL PRIMARY KEY,
      device TEXT NOT NULL,
      account TEXT NOT NULL,
      delivery TEXT NOT NULL,
      name TEXT NOT NULL,
      profile TEXT NOT NULL,
      state TEXT NOT NULL,
      createdAt INTEGER NOT NULL,
      UNIQUE (device, delivery)
    ) STRICT;
    CREATE TABLE cardApplication (
      accountNumber TEXT NOT NULL,
      sequenceNumber INTEGER NOT NULL CHECK (sequenceNumber BETWEEN 0 AND 255),
      card TEXT NOT NULL REFERENCES card (id) ON DELETE CASCADE,
      place INTEGER NOT NULL CHECK (place >= 0),
      lastCounter INTEGER CHECK (lastCounter BETWEEN 1 AND 65535),
      freeCounter INTEGER NOT NULL CHECK (freeCounter BETWEEN 1 AND 65536),
      PRIMARY KEY (accountNumber, sequenceNumber)
    ) STRICT;
    CREATE INDEX cardApplicationByCard ON cardApplication (card);
    CREATE TABLE keyDelivery (
      card TEXT NOT NULL REFERENCES card (id) ON DELETE CASCADE,
      delivery TEXT NOT NULL,
      place INTEGER NOT NULL CHECK (place >= 0),
      firstCounter INTEGER NOT NULL CHECK (firstCounter BETWEEN 1 AND 65535),
      uses INTEGER NOT NULL CHECK (uses BETWEEN 1 AND 65535),
      createdAt INTEGER NOT NULL,
      PRIMARY KEY (card, delivery, place)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE cardPayment (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      card TEXT NOT NULL REFERENCES card (id) ON DELETE CASCADE,
      at INTEGER NOT NULL,
      amount INTEGER NOT NULL CHECK (amount >= 0),
      currency INTEGER NOT NULL CHECK (currency BETWEEN 0 AND 999),
      counter INTEGER NOT NULL CHECK (counter BETWEEN 0 AND 65535),
      isApproved INTEGER NOT NULL CHECK (isApproved IN (0, 1)),
      responseCode TEXT NOT NULL
    ) STRICT;
    CREATE INDEX cardPaymentByCard ON cardPayment (card, number);
    """
}
