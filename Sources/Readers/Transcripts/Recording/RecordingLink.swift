public import ISO7816
public import Links
internal import Octets
internal import Synchronization

/// A link that records what goes over another link, as the card receives and sends it.
public struct RecordingLink: EmulationLink {
  private let base: any EmulationLink
  private let recording: Recording
  private let mark = StopMark()

  /// Creates a link.
  ///
  /// - Parameter recording: Receives the exchanges and the field events.
  public init(_ base: any EmulationLink, recording: Recording) {
    (self.base, self.recording) = (base, recording)
  }

  /// Serves the responder on the other link.
  ///
  /// - Throws: What the other link throws.
  public func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    let mark = mark
    var recorder = RecordingResponder(consume responder, clock: SystemClock(), recording: recording) {
      mark.isSet.load(ordering: .acquiring)
    }
    do throws(LinkError) {
      try base.serve(&recorder)
      responder = recorder.release()
    } catch {
      responder = recorder.release()
      throw error
    }
  }

  /// Stops the other link. A response that has not left is recorded as torn.
  public func stop() {
    mark.isSet.store(true, ordering: .releasing)
    base.stop()
  }
}

/// Whether a link was stopped.
private final class StopMark: Sendable {
  let isSet = Atomic(false)
}
