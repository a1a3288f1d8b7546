extension AccessSchema {
  /// A part of version 11: an authorization has the keys that it was made with, and what was begun with it has them too.
  ///
  /// The keys of an older authorization are not recorded. What it has begun could outlive them, so it ends: clients
  /// authenticate again.
  static let authorizingKeys = """

    ALTER TABLE "authorization" ADD COLUMN keys TEXT;
    ALTER TABLE challenge ADD COLUMN authorizingKeys TEXT;
    ALTER TABLE outOfBandToken ADD COLUMN authorizingKeys TEXT;
    DELETE FROM "authorization";
    DELETE FROM challenge WHERE operation = 'Reg' AND registrationToken IS NULL AND isOpen = 0;
    DELETE FROM outOfBandToken WHERE redeemedAt IS NULL AND authorizedBy IS NOT NULL;
    """
}
