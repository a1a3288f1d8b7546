internal import ISO7816
public import Links

/// Sends commands in order to the card that comes.
public struct CommandSequence<Observer: ExchangeObserver>: PatientVisitor {
  private let commands: [[UInt8]]
  private let followsUp: Bool
  private let stopsAtRefusal: Bool
  /// Receives the exchanges.
  public private(set) var observer: Observer
  /// The exchanges so far.
  public private(set) var exchanges = CardExchanges()
  /// Why not all commands were sent; nil when they were.
  public private(set) var failure: LinkError?
  /// Whether a command was answered neither with 9000 nor with a warning.
  public private(set) var hasErrorStatus = false

  /// Creates a sequence.
  ///
  /// - Parameters:
  ///   - commands: The commands as they go on the wire.
  ///   - followsUp: Whether 61xx is followed by GET RESPONSE, and 6Cxx by the command with the Le that it names.
  ///   - stopsAtRefusal: Whether the first error status ends the sequence.
  ///   - observer: Receives the exchanges.
  public init(_ commands: [[UInt8]], followsUp: Bool = true, stopsAtRefusal: Bool = false, observer: Observer) {
    (self.commands, self.followsUp, self.stopsAtRefusal) = (commands, followsUp, stopsAtRefusal)
    self.observer = observer
  }

  /// The failure of a card that left before its first response; nil otherwise.
  public var unansweredFailure: LinkError? { exchanges.hasAnswer ? nil : failure }

  /// Sends the commands.
  public mutating func visit<Channel: CardChannel & ~Copyable>(_ channel: inout Channel) {
    (exchanges, failure) = (CardExchanges(), nil)
    exchanges.identify(channel.identity)
    do throws(LinkError) {
      for command in commands {
        let recording = exchanges.recording
        let response = try exchanges.send(command, over: &channel, followsUp: followsUp) { cause in
          observer.observe(cause, of: recording)
        }
        guard response.status.isRefusal else { continue }
        hasErrorStatus = true
        if stopsAtRefusal { return }
      }
    } catch {
      failure = error
    }
  }
}
