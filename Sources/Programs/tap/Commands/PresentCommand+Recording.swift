import ArgumentParser
import Links
import Octets
import ProgramSupport
import ReaderKinds
import Transcripts

extension PresentCommand {
  /// Presents the responses of a recording, tap by tap. Prints how many commands were recorded.
  func presentRecording(_ transcript: Transcript, _ device: LinkDevice) async throws {
    Console.note("The responses of a recording: it has no keys and is never armed.")
    var isKnown = true
    for number in 1...options.count {
      let link = try makeLink(nil, device, waiting: .seconds(options.timeout))
      // Without a terminal nothing else ends the wait.
      let limit = Task {
        try await Task.sleep(for: .seconds(options.timeout))
        link.stop()
      }
      defer { limit.cancel() }
      let recorded = options.recorded
      let served = try await DedicatedThread(named: "card") { () throws(LinkError) -> PresentedRecording in
        var card = RecordedCard(
          transcript, matching: recorded.match ?? .longest, unknownStatus: recorded.unknownStatus, link: link)
        try link.serve(&card)
        return PresentedRecording(card)
      }.value()
      guard served.count > 0 else { throw Console.fail("the link ended before a command came", .linkEnded) }
      try PaymentLine(number, event: "recordingPresented", message: served.text).print(as: options.format)
      isKnown = isKnown && served.isKnown
    }
    if !isKnown { throw ExitCode.refused }
  }
}

/// What a terminal got from a recording.
private struct PresentedRecording: Sendable {
  let answeredCount: Int
  let unknownHeaders: [String]
  let difference: String?

  init(_ card: borrowing RecordedCard) {
    answeredCount = card.answeredCount
    unknownHeaders = card.unknownHeaders
    difference = card.difference.map { "\($0)" }
  }

  var count: Int { answeredCount + unknownHeaders.count }
  var isKnown: Bool { unknownHeaders.isEmpty }

  var text: String {
    let answered = "\(answeredCount.counted("command")) answered from the recording"
    if let difference { return "\(answered), then \(difference)" }
    return isKnown ? answered : "\(answered), not in it: \(unknownHeaders.joined(separator: ", "))"
  }
}
