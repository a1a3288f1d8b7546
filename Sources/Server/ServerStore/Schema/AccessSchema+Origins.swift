extension AccessSchema {
  /// Version 5: what a client was given has the device that it was made for, and a deactivation outlives the device.
  ///
  /// A registration that is under way, and was not begun with a token, counts as an open one. The delivery of a deleted card
  /// is released: the next owner of the device may use its identifier.
  static let deviceOrigins = """
    ALTER TABLE challenge ADD COLUMN deviceID TEXT;
    ALTER TABLE challenge ADD COLUMN authorizedBy TEXT;
    ALTER TABLE challenge ADD COLUMN isOpen INTEGER NOT NULL DEFAULT 0 CHECK (isOpen IN (0, 1));
    UPDATE challenge SET isOpen = 1 WHERE operation = 'Reg' AND registrationToken IS NULL;
    CREATE INDEX challengeByAccount ON challenge (account);
    ALTER TABLE outOfBandToken ADD COLUMN deviceID TEXT;
    ALTER TABLE outOfBandToken ADD COLUMN authorizedBy TEXT;
    UPDATE outOfBandToken SET deviceID =
      (SELECT device.deviceID FROM device WHERE device.id = outOfBandToken.device);
    CREATE INDEX outOfBandTokenByAccount ON outOfBandToken (account);
    ALTER TABLE "authorization" ADD COLUMN deviceID TEXT;
    ALTER TABLE registrationToken ADD COLUMN begunAt INTEGER;
    CREATE INDEX registrationTokenByAccount ON registrationToken (account);
    ALTER TABLE walletToken ADD COLUMN usedAt INTEGER;
    CREATE TABLE deactivation (
      kind TEXT NOT NULL,
      owner TEXT NOT NULL,
      deviceID TEXT NOT NULL,
      target TEXT UNIQUE,
      name TEXT NOT NULL,
      createdAt INTEGER NOT NULL,
      PRIMARY KEY (kind, owner, deviceID)
    ) STRICT;
    CREATE INDEX deactivationByDevice ON deactivation (deviceID);
    INSERT INTO deactivation (kind, owner, deviceID, target, name, createdAt)
      SELECT 'account', account, deviceID, min(id), min(name), min(createdAt) FROM device
      WHERE state = 'inactive' GROUP BY account, deviceID;
    UPDATE device SET state = 'inactive' WHERE EXISTS (
      SELECT 1 FROM deactivation WHERE kind = 'account' AND owner = device.account
      AND deactivation.deviceID = device.deviceID);
    INSERT INTO deactivation (kind, owner, deviceID, name, createdAt)
      SELECT 'wallet', wallet, deviceID, name, createdAt FROM walletDevice WHERE state = 'inactive';
    UPDATE card SET delivery = id WHERE state = 'deleted';
    """
}
