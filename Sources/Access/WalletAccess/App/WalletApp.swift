/// The wallet as an application: a pure state machine that takes what happened and returns what follows.
///
/// ```
/// state      | viewed   | chosen, allowed | chosen, refused | done  | expired              | background    | foreground
/// -----------+----------+-----------------+-----------------+-------+----------------------+---------------+-----------
/// checking   | show,    | -               | -               | -     | -                    | suspend       | check
///            | choose   |                 |                 |       |                      |               |
/// choosing   | -        | perform         | refuse, choose  | -     | stop, check          | stop, suspend | stop, check
/// performing | -        | -               | -               | check | stop, check          | suspend;      | go on;
///            |          |                 |                 |       |                      | a payment:    | a payment:
///            |          |                 |                 |       |                      | stop, suspend | stop, check
/// closed     | -        | -               | -               | -     | -                    | -             | -
/// ```
///
/// A dash means that nothing follows. What was stopped reports nothing any more. A view after the end of a session is
/// announced before it is shown.
public struct WalletApp: Sendable {
  /// What happened.
  public enum Event: Equatable, Sendable {
    /// The application was started.
    case opened
    /// The issuer and the device were asked for what is shown.
    case viewed(WalletView)
    /// They could not be asked.
    case failed
    /// The user chose a command.
    ///
    /// - Parameter action: Its action; nil for one that is always allowed.
    case chosen(AllowedActions.Action?)
    /// The command ended, done or failed.
    case done
    /// The session was inactive for too long, and was ended.
    case expired
    /// The user leaves the application.
    case background
    /// The user returns to the application.
    case foreground
    /// The user closes the application.
    case closed
  }

  /// What follows.
  public enum Effect: Equatable, Sendable {
    /// Ask the issuer and the device for what is shown: `viewed` or `failed` follows.
    case check
    /// Show the screen and its actions.
    case show(WalletView)
    /// Show the contents of the wallet, which was opened.
    case showContents
    /// Ask the user for a command: `chosen` or `closed` follows.
    case choose
    /// Run the command that was chosen: `done` follows.
    case perform
    /// State that the action is not allowed now.
    case refuse(AllowedActions.Action)
    /// End the question or the command under way, and wait for its end. An armed card is disarmed.
    case stop
    /// State that the session has ended.
    case announceExpiry
    /// Wait in the background: `foreground` follows.
    case suspend
    /// End the application.
    case close
  }

  private enum State: Equatable {
    case checking
    case choosing
    case performing(AllowedActions.Action?)
    case closed
  }

  private var state = State.checking
  private var view: WalletView?

  /// Creates an application that was not started.
  public init() {}

  /// Receives an event.
  public mutating func receive(_ event: Event) -> [Effect] {
    switch (event, state) {
    case (_, .closed): []
    case (.opened, _): check()
    case (.viewed(let view), .checking): show(view)
    case (.failed, .checking): show(WalletView(.unreached, view?.allowed ?? .outdated))
    case (.chosen(let action), .choosing): choose(action)
    case (.done, .performing): check()
    case (.expired, .choosing), (.expired, .performing): [.stop] + check()
    case (.background, .choosing), (.background, .performing(.pay)): [.stop] + leave()
    case (.background, .checking), (.background, .performing): [.suspend]
    case (.foreground, .checking): check()
    case (.foreground, .choosing), (.foreground, .performing(.pay)): [.stop] + check()
    case (.closed, .choosing): close()
    default: []
    }
  }

  private mutating func check() -> [Effect] {
    state = .checking
    return [.check]
  }

  private mutating func leave() -> [Effect] {
    state = .checking
    return [.suspend]
  }

  private mutating func close() -> [Effect] {
    state = .closed
    return [.close]
  }

  private mutating func show(_ view: WalletView) -> [Effect] {
    let isOpened = view.screen == .wallet && self.view?.screen != .wallet
    self.view = view
    state = .choosing
    return (view.hasExpired ? [.announceExpiry] : []) + [.show(view)] + (isOpened ? [.showContents] : []) + [.choose]
  }

  private mutating func choose(_ action: AllowedActions.Action?) -> [Effect] {
    if let action, view?.allowed.allows(action) != true { return [.refuse(action), .choose] }
    state = .performing(action)
    return [.perform]
  }
}
