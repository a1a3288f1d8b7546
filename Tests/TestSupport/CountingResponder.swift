public import ISO7816
public import Octets
internal import Synchronization

/// A card that answers every command with 9000 and counts the calls of `responseSent()`.
public struct CountingResponder: CommandResponder, Sendable {
  /// The number of calls, for any thread.
  public final class Calls: Sendable {
    private let number = Atomic(0)

    /// Starts at zero.
    public init() {}

    /// The calls so far.
    public var count: Int { number.load(ordering: .acquiring) }

    fileprivate func add() { number.add(1, ordering: .releasing) }
  }

  private let calls: Calls
  private let gate: ScriptedResponder.Gate?

  /// Creates a card.
  ///
  /// - Parameter gate: Blocks each call until it is opened; nil for none.
  public init(_ calls: Calls, gate: ScriptedResponder.Gate? = nil) { (self.calls, self.gate) = (calls, gate) }

  /// Answers 9000.
  public mutating func respond(
    to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan
  ) -> Int {
    response.put(UInt16(0x9000), at: 0)
    return 2
  }

  /// Waits for the gate, then counts.
  public mutating func responseSent() {
    gate?.pass()
    calls.add()
  }

  /// Does nothing.
  public mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {}
}
