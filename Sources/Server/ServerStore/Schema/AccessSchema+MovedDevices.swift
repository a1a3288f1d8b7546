extension AccessSchema {
  /// The devices that have moved from the identity that they had at all issuers to one of this issuer. The server accepts no
  /// signature with their former keys.
  static let movedDevices = """
    CREATE TABLE movedDevice (
      formerKey BLOB NOT NULL PRIMARY KEY CHECK (length(formerKey) = 32),
      formerDeviceID TEXT NOT NULL,
      deviceID TEXT NOT NULL,
      key BLOB NOT NULL CHECK (length(key) = 32),
      createdAt INTEGER NOT NULL
    ) STRICT;
    """
}
