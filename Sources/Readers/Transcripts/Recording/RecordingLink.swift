public import ISO7816
public import Links
internal import Octets

/// A link that records what goes over another link, as the card receives and sends it.
public struct RecordingLink: EmulationLink {
  private let base: any EmulationLink
  private let recording: Recording

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
    var recorder = RecordingResponder(consume responder, clock: SystemClock(), recording: recording)
    do throws(LinkError) {
      try base.serve(&recorder)
      responder = recorder.release()
    } catch {
      responder = recorder.release()
      throw error
    }
  }

  /// Stops the other link.
  public func stop() { base.stop() }
}
