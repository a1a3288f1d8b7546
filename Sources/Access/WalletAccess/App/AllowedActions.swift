public import AccessMessages

/// What a user may do, by the status of the device and the session.
///
/// ```
/// registered | active | logged in | enrol | login     | logout | unlink | forgot | biometric | cards, pay, …
/// -----------+--------+-----------+-------+-----------+--------+--------+--------+-----------+-------------
/// no         | no     | no        | yes   | yes       | no     | no     | yes    | no        | no
/// no         | no     | yes       | yes   | no        | yes    | no     | no     | no        | no
/// no         | yes    | no        | yes   | unchanged | no     | no     | no     | no        | no
/// no         | yes    | yes       | yes   | no        | yes    | no     | no     | no        | no
/// yes        | no     | no        | no    | no        | no     | yes    | no     | no        | no
/// yes        | no     | yes       | no    | no        | yes    | yes    | no     | no        | no
/// yes        | yes    | no        | no    | yes       | no     | yes    | yes    | yes       | no
/// yes        | yes    | yes       | no    | no        | yes    | yes    | no     | yes       | yes
/// ```
///
/// `lost` is always allowed: a user who lost a device uses any other. Unlinking is allowed before and after login: the source
/// of the first four columns (Paydiant, Provide wallet access) hides it after login in one place and shows it there in
/// another.
public struct AllowedActions: Hashable, Sendable {
  /// An action of the user, in the order in which a screen lists them.
  public enum Action: String, Sendable, CaseIterable {
    /// Enrol a new wallet, or go on with an interrupted enrolment.
    case enrol
    /// Log in.
    case login
    /// Replace a forgotten PIN or password.
    case forgot
    /// Pay with a card.
    case pay
    /// List and add cards.
    case cards
    /// Get payment keys.
    case replenish
    /// Show the payments.
    case history
    /// Register, remove and prefer biometric login.
    case biometric
    /// Change the user's own limit of inactivity.
    case timeout
    /// Change the PIN of the wallet.
    case changePIN = "change-pin"
    /// Show and change the names and the telephone number.
    case profile
    /// List and unlink the devices of the wallet.
    case lost
    /// Log out.
    case logout
    /// Unlink the device from its wallet.
    case unlink
  }

  /// The allowed actions.
  public let actions: Set<Action>

  /// Decides for one status.
  ///
  /// - Parameters:
  ///   - former: The actions before. They decide about login where the table says `unchanged`.
  ///   - tapWithoutLogin: Whether the issuer allows a payment of a linked device without a session.
  public init(
    _ status: DeviceStatus, isLoggedIn: Bool, former: AllowedActions? = nil, tapWithoutLogin: Bool = false
  ) {
    var actions: Set<Action> = [status.isRegistered ? .unlink : .enrol, .lost]
    if isLoggedIn {
      actions.insert(.logout)
    } else if status.isRegistered == status.isActive {
      actions.formUnion([.login, .forgot])
    } else if !status.isRegistered, former?.allows(.login) == true {
      actions.insert(.login)
    }
    if status.isRegistered, status.isActive {
      actions.insert(.biometric)
      if isLoggedIn { actions.formUnion([.pay, .cards, .replenish, .history, .timeout, .changePIN, .profile]) }
      if tapWithoutLogin { actions.insert(.pay) }
    }
    self.actions = actions
  }

  /// What is allowed while the issuer is not reached: the end of the session on this device, and a payment under it.
  public static func unreached(isLoggedIn: Bool) -> AllowedActions {
    AllowedActions(actions: isLoggedIn ? [.pay, .logout] : [])
  }

  /// What a version of the client may do that the issuer does not serve any more: nothing.
  public static let outdated = AllowedActions(actions: [])

  private init(actions: Set<Action>) { self.actions = actions }

  /// Whether an action is allowed.
  public func allows(_ action: Action) -> Bool { actions.contains(action) }

  /// The allowed actions in the order in which a screen lists them.
  public var ordered: [Action] { Action.allCases.filter(allows) }
}
