public import Documents

/// What the issuer keeps of a user who has a wallet, without secrets.
public struct WalletProfile: JSONMessage, Hashable {
  /// The e-mail address, which is the user name and never changes.
  public var email: String
  /// The first name.
  public var firstName: String
  /// The last name.
  public var lastName: String
  /// The telephone number.
  public var phone: String

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(email:firstName:lastName:phone:),
    .text("email", \.email, UserProfile.emailRange),
    .text("firstName", \.firstName, UserProfile.nameRange),
    .text("lastName", \.lastName, UserProfile.nameRange),
    .text("phone", \.phone, UserProfile.phoneRange))

  /// Creates a profile.
  public init(email: String, firstName: String, lastName: String, phone: String) {
    (self.email, self.firstName, self.lastName, self.phone) = (email, firstName, lastName, phone)
  }
}

/// A change of a `WalletProfile`. A member that is nil stays.
public struct ProfileChange: JSONMessage, Hashable {
  /// The e-mail address. The issuer refuses another one than it has.
  public var email: String?
  /// The first name.
  public var firstName: String?
  /// The last name.
  public var lastName: String?
  /// The telephone number.
  public var phone: String?

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(email:firstName:lastName:phone:),
    .text("email", \.email, UserProfile.emailRange),
    .text("firstName", \.firstName, UserProfile.nameRange),
    .text("lastName", \.lastName, UserProfile.nameRange),
    .text("phone", \.phone, UserProfile.phoneRange))

  /// Creates a change.
  public init(email: String? = nil, firstName: String? = nil, lastName: String? = nil, phone: String? = nil) {
    (self.email, self.firstName, self.lastName, self.phone) = (email, firstName, lastName, phone)
  }

  /// The first member that the issuer does not accept; nil for a change that it accepts. The e-mail address is not checked.
  public var shortcoming: ProfileShortcoming? {
    let reasons: [(ProfileShortcoming.Member, String?)] = [
      (.firstName, firstName.flatMap(UserProfile.nameShortcoming)),
      (.lastName, lastName.flatMap(UserProfile.nameShortcoming)),
      (.phone, phone.flatMap(UserProfile.phoneShortcoming)),
    ]
    return reasons.lazy.compactMap { member, reason in reason.map { ProfileShortcoming(member, $0) } }.first
  }

  /// Why an e-mail address is not changed, and what to do.
  public static let fixedEmail = """
    the e-mail address is the user name of the wallet and cannot be changed; for another address, unlink this device and \
    enrol a new wallet
    """
}
