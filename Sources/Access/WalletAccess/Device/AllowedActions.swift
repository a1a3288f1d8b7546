public import AccessMessages

/// What a user may do, by the status of the device and the session.
///
/// ```
/// registered | active | logged in | enrol | login     | logout | unlink
/// -----------+--------+-----------+-------+-----------+--------+-------
/// no         | no     | no        | yes   | yes       | no     | no
/// no         | no     | yes       | yes   | no        | yes    | no
/// no         | yes    | no        | yes   | unchanged | no     | no
/// no         | yes    | yes       | yes   | no        | yes    | no
/// yes        | no     | no        | no    | no        | no     | yes
/// yes        | no     | yes       | no    | no        | yes    | yes
/// yes        | yes    | no        | no    | yes       | no     | yes
/// yes        | yes    | yes       | no    | no        | yes    | yes
/// ```
///
/// Unlinking is allowed before and after login: the source of this table (Paydiant, Provide wallet access) hides it
/// after login in one place and shows it there in another.
public struct AllowedActions: Hashable, Sendable {
  /// An action of the user.
  public enum Action: String, Sendable, CaseIterable {
    /// Enrol a new wallet.
    case enrol
    /// Log in.
    case login
    /// Log out.
    case logout
    /// Unlink the device from its wallet.
    case unlink
  }

  /// The allowed actions.
  public let actions: Set<Action>

  /// Decides for one status.
  ///
  /// - Parameter former: The actions before. They decide about login where the table says `unchanged`.
  public init(_ status: DeviceStatus, isLoggedIn: Bool, former: AllowedActions? = nil) {
    var actions: Set<Action> = [status.isRegistered ? .unlink : .enrol]
    if isLoggedIn {
      actions.insert(.logout)
    } else if status.isRegistered == status.isActive || !status.isRegistered && former?.allows(.login) == true {
      actions.insert(.login)
    }
    self.actions = actions
  }

  /// Whether an action is allowed.
  public func allows(_ action: Action) -> Bool { actions.contains(action) }
}
