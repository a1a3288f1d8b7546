extension AccessSchema {
  /// Version 7: a session has the user's own limit of inactivity, and a device of a wallet its system and last contact.
  static let sessionLimits = """
    ALTER TABLE walletSession ADD COLUMN idleSeconds INTEGER;
    ALTER TABLE walletDevice ADD COLUMN system TEXT;
    ALTER TABLE walletDevice ADD COLUMN lastContactAt INTEGER;
    """
}
