extension AccessSchema {
  /// Version 6: operations, and used identifiers of devices without a wallet, are counted by the address of their client.
  static let countedAddresses = """
    ALTER TABLE operation ADD COLUMN address TEXT;
    CREATE INDEX operationByAddress ON operation (address, expiresAt);
    ALTER TABLE usedWalletRequest ADD COLUMN address TEXT;
    CREATE INDEX usedWalletRequestByAddress ON usedWalletRequest (address, expiresAt);
    """
}
