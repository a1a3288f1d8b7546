import Foundation
import TestSupport
import Testing

/// What a user reads when a USB reader fails under the real driver, and what works afterwards.
@Suite("Faults of a USB reader, as a user sees them", .blocks, .serialized, .timeLimit(.minutes(10)))
struct USBFaultSceneTests {
  /// A fault at the first response of a tap, the exit codes that the tap can have, and something that is said.
  struct Row: Sendable {
    let fault: String
    let codes: [Int32]
    let text: String
    /// How often the terminal asks for the card, at least.
    var asks = 1
    /// What the next tap says when it does not work; nil when it works.
    var next: String?
    /// Whether the reader is plugged in again before the last tap.
    var replugs = false
  }

  /// Without `hang`: pcscd 1.9.9 sometimes keeps a reader that hung, also after it was unplugged.
  static let rows = [
    // libccid repairs the first one, and does not look at the second one.
    Row(fault: "extended", codes: [0], text: "Approved"),
    Row(fault: "wrong-sequence", codes: [0], text: "Approved"),
    // One response is lost. The card is asked for again; where pcscd did not report it as gone, the payment ends then.
    Row(fault: "mute", codes: [2, 0], text: "Present card", asks: 2),
    Row(fault: "babble", codes: [2, 0], text: "Present card", asks: 2),
    Row(fault: "truncated", codes: [2, 0], text: "Present card", asks: 2),
    Row(fault: "padded", codes: [2, 0], text: "Present card", asks: 2),
    // libccid 1.5.2 takes the old response for the new one; the terminal finds that it is not one to its command.
    Row(fault: "stale", codes: [2], text: "tag 6F is missing in the FCI", replugs: true),
    // The reader is lost until it is plugged in again. The tap ends with it, or waits for the card when pcscd finds out late.
    Row(
      fault: "stall", codes: [2, 3], text: "readerUnavailable", next: "does not answer its driver any more",
      replugs: true),
    Row(fault: "unplug", codes: [2, 3], text: "was unplugged", next: "error:", replugs: true),
  ]

  @Test(arguments: rows)
  func `a fault is named for what it is, and its remedy works`(_ row: Row) throws {
    // One slot: libccid can lose the notification of a card when a reader has several.
    let lab = try LabUSBTests.Lab("--device", "scm-scl011")
    #expect(try lab.accept().code == 0)
    try lab.typeAndWait("fault \(row.fault)")
    let run = try lab.accept()
    #expect(row.codes.contains(run.code), "\(row.fault): \(run.output)\(run.errors)")
    #expect((run.output + run.errors).contains(row.text), "\(row.fault): \(run.output)\(run.errors)")
    #expect(run.errors.components(separatedBy: "Present card").count > row.asks, "\(row.fault): \(run.errors)")
    if let text = row.next {
      let next = try lab.accept()
      #expect(next.code == 3 && next.errors.contains(text), "\(row.fault): \(next.output)\(next.errors)")
    }
    if row.replugs {
      try lab.typeAndWait("unplug")
      try lab.waitUntilReleased()
      try lab.typeAndWait("plug")
    }
    let last = try lab.acceptAtLast()
    #expect(last.code == 0, "\(row.fault): \(last.output)\(last.errors)")
    try lab.end()
  }
}

extension LabUSBTests.Lab {
  /// Types a line and waits until it is done.
  func typeAndWait(_ line: String) throws {
    type(line)
    try #require(
      program.wait(timeout: .seconds(30)) { $0.errors.contains("done: \(line)\n") }, "\(program.errors)")
  }

  /// Waits until pcscd has no reader any more: the one that was unplugged is released when its driver has ended its calls.
  fileprivate func waitUntilReleased() throws {
    let end = ContinuousClock.now + .seconds(60)
    var readers: String
    repeat {
      readers = try TapProgram.finish(
        TapProgram.start(["readers"], environment: ["PCSCLITE_CSOCK_NAME": socket])
      ).output
    } while readers.contains("SCL01x") && ContinuousClock.now < end
    #expect(!readers.contains("SCL01x"), "\(readers)")
  }

  /// A payment at the first slot, whatever number pcscd has given it, as soon as pcscd has the reader.
  fileprivate func acceptAtLast() throws -> TapProgram.Run {
    var run: TapProgram.Run
    let end = ContinuousClock.now + .seconds(60)
    repeat {
      run = try TapProgram.finish(
        TapProgram.start(
          ["accept", "--reader", "pcsc:SCL01x", "--amount", "12.34", "--currency", "978", "--timeout", "30"],
          environment: ["PCSCLITE_CSOCK_NAME": socket]))
    } while run.code == 3 && ContinuousClock.now < end
    return run
  }
}
