import Foundation
import TestSupport
import Testing

/// `tap readers --watch` while libnfc is still looking for devices, as it does at a USB device that is stuck.
@Suite("tap readers with a slow libnfc", .blocks, .serialized, .timeLimit(.minutes(20)))
struct ReadersSlowDeviceTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Where `tap-nfc` waits until it may go on.
  private var gate: String { scratch.path("gate") }

  /// Copies `tap`, and puts something beside it that becomes the real `tap-nfc` when the gate is opened. Another
  /// process
  /// writes both: see `TapProgram.copy(_:to:)`.
  private func arrange(_ further: String = "") throws {
    try TapProgram.copy("tap", to: scratch)
    let real = TapProgram.path + "-nfc"
    // The wait ends when its directory is removed.
    let script = """
      #!/bin/sh
      while [ -d \(scratch.directory.path) ] && [ ! -e \(gate) ]; do sleep 0.02; done
      \(further)
      exec \(real)

      """
    let writing = try ProgramRun(
      "sh", ["-c", "printf '%s' \"$1\" > \"$2\" && chmod +x \"$2\"", "sh", script, scratch.path("tap-nfc")])
    #expect(try writing.finish() == .exited(0), "\(writing.errors)")
  }

  private func watch(_ environment: [String: String]) throws -> ProgramRun {
    try ProgramRun(
      scratch.path("tap"), ["readers", "--watch"],
      environment: environment.merging(["LIBNFC_DEVICE": "pn532_uart:/dev/null"]) { $1 })
  }

  private func present(at pcscd: IsolatedPCSCD) throws -> ProgramRun {
    try TapProgram.start(
      ["present", "--link", "vpcd:127.0.0.1:\(pcscd.port)", "--card", TapProgram.card("visa-cvn18")])
  }

  @Test func `readers and cards are listed at once, and devices as soon as they are known`() throws {
    try arrange()
    let pcscd = try IsolatedPCSCD()
    let watch = try watch(pcscd.environment)
    #expect(watch.wait(timeout: .seconds(60)) { $0.output.contains("00 01  is there\n") }, "\(watch.errors)")
    let card = try present(at: pcscd)
    #expect(watch.wait(timeout: .seconds(120)) { $0.output.contains("  card in, ATR 3B80800101, ") })
    card.signal(SIGTERM)
    #expect(watch.wait(timeout: .seconds(120)) { $0.output.contains("  card out\n") })
    #expect(
      !(watch.output + watch.errors).contains("nfc:") && !watch.errors.contains("not listed"),
      "\(watch.output)\(watch.errors)")
    try Data().write(to: URL(filePath: gate))
    #expect(watch.wait(timeout: .seconds(120)) { $0.output.hasSuffix("nfc:pn532_uart:/dev/null\n") }, "\(watch.output)")
    // The watch goes on.
    let next = try present(at: pcscd)
    let hasReturned = watch.wait(timeout: .seconds(120)) {
      $0.output.components(separatedBy: "  card in, ATR 3B80800101, ").count == 3
    }
    #expect(hasReturned, "\(watch.output)")
    next.signal(SIGTERM)
    watch.signal(SIGINT)
    #expect(try watch.finish(timeout: .seconds(60)) == .exited(0))
  }

  @Test func `a tap-nfc that dies while it looks for devices is reported once, and the watch goes on`() throws {
    try arrange("kill -KILL $$")
    let pcscd = try IsolatedPCSCD()
    let watch = try watch(pcscd.environment)
    #expect(watch.wait(timeout: .seconds(60)) { $0.output.contains("00 01  is there\n") }, "\(watch.errors)")
    try Data().write(to: URL(filePath: gate))
    #expect(watch.wait(timeout: .seconds(120)) { $0.errors.contains("NFC devices are not listed: ") })
    let card = try present(at: pcscd)
    #expect(watch.wait(timeout: .seconds(120)) { $0.output.contains("  card in, ATR 3B80800101, ") })
    card.signal(SIGTERM)
    #expect(watch.errors.components(separatedBy: "NFC devices are not listed: ").count == 2, "\(watch.errors)")
    watch.signal(SIGINT)
    #expect(try watch.finish(timeout: .seconds(60)) == .exited(0))
  }

  @Test func `Ctrl-C ends the watch while libnfc is still looking`() throws {
    try arrange()
    let pcscd = try IsolatedPCSCD()
    let watch = try watch(pcscd.environment)
    #expect(watch.wait(timeout: .seconds(60)) { $0.output.contains("00 01  is there\n") }, "\(watch.errors)")
    watch.signal(SIGINT)
    #expect(try watch.finish(timeout: .seconds(60)) == .exited(0))
    #expect(!watch.output.contains("nfc:"))
  }
}
