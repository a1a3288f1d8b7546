import Foundation
import TestSupport
import Testing

/// `tap readers` and `tap readers --watch`, with a real pcscd that goes away, comes back, or was never there.
@Suite("tap readers --watch", .blocks, .serialized, .timeLimit(.minutes(20)))
struct ReadersWatchTests {
  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  /// Without pcscd. libnfc has the name of a device, which it lists without opening it.
  private var nowhere: [String: String] {
    ["PCSCLITE_CSOCK_NAME": scratch.path("nothing"), "LIBNFC_DEVICE": "pn532_uart:/dev/null"]
  }

  private func present(at pcscd: IsolatedPCSCD) throws -> ProgramRun {
    try TapProgram.start(
      ["present", "--link", "vpcd:127.0.0.1:\(pcscd.port)", "--card", TapProgram.card("visa-cvn18")])
  }

  /// Waits until the program has reported events, and returns the last of them.
  private func events(_ count: Int, of program: ProgramRun) throws -> [[String: Any]] {
    #expect(program.wait(timeout: .seconds(60)) { $0.output.count { $0 == "\n" } >= count }, "\(program.errors)")
    return try program.output.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  private func names(_ events: [[String: Any]]) -> [String] { events.map { $0["event"] as? String ?? "device" } }

  @Test func `the state, a card that comes and goes, the service that goes and comes, and Ctrl-C`() throws {
    let pcscd = try IsolatedPCSCD()
    let environment = pcscd.environment.merging(["LIBNFC_DEVICE": "pn532_uart:/dev/null"]) { $1 }
    let watch = try TapProgram.start(["readers", "--watch", "--format", "json"], environment: environment)
    let state = try events(3, of: watch)
    // libnfc's device comes when it is known.
    let (devices, readers) = (state.filter { $0["event"] == nil }, state.filter { $0["event"] != nil })
    #expect(devices.map { $0["address"] as? String } == ["nfc:pn532_uart:/dev/null"])
    #expect(names(readers) == ["readerPresent", "readerPresent"])
    #expect(readers.map { $0["address"] as? String } == pcscd.readerNames.map { "pcsc:\($0)" })

    let card = try present(at: pcscd)
    let inserted = try #require(try events(4, of: watch).last)
    #expect(inserted["event"] as? String == "cardInserted")
    #expect(inserted["address"] as? String == "pcsc:\(pcscd.readerNames[0])")
    #expect(inserted["answerToReset"] as? String == "3B80800101")
    #expect((inserted["time"] as? String)?.wholeMatch(of: /20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
    card.signal(SIGTERM)
    #expect(names(try events(5, of: watch)).last == "cardRemoved")

    pcscd.kill()
    let lost = try #require(try events(6, of: watch).last)
    #expect(lost["event"] as? String == "serviceLost")
    #expect((lost["reason"] as? String)?.contains("reader service not available") == true)
    try pcscd.restart()
    let after = try events(9, of: watch)
    #expect(names(after).suffix(3) == ["serviceFound", "readerPresent", "readerPresent"])

    watch.signal(SIGINT)
    #expect(try watch.finish(timeout: .seconds(60)) == .exited(0))
    #expect(watch.output.count { $0 == "\n" } == 9, "\(watch.output)")
  }

  @Test func `in words: a card that lies there already, and one that comes`() throws {
    let pcscd = try IsolatedPCSCD()
    let card = try present(at: pcscd)
    #expect(card.wait(timeout: .seconds(120)) { _ in pcscd.log.contains("Card ATR") })
    let watch = try TapProgram.start(["readers", "--watch"], environment: pcscd.environment)
    #expect(watch.wait(timeout: .seconds(120)) { $0.output.contains("00 01  is there") })
    #expect(
      watch.output.contains("pcsc:\(pcscd.readerNames[0])  has a card, ATR 3B80800101, ISO 14443 Type B"),
      "\(watch.output)")
    card.signal(SIGTERM)
    #expect(watch.wait(timeout: .seconds(120)) { $0.output.contains("pcsc:\(pcscd.readerNames[0])  card out\n") })
    let next = try present(at: pcscd)
    #expect(watch.wait(timeout: .seconds(120)) { $0.output.contains("  card in, ATR 3B80800101, ISO 14443 Type B") })
    next.signal(SIGTERM)
    watch.signal(SIGTERM)
    #expect(try watch.finish(timeout: .seconds(60)) == .exited(0))
  }

  @Test func `a reader that is plugged in and pulled out, with the card in it`() throws {
    let readers = try PluggableReaders()
    let watch = try TapProgram.start(["readers", "--watch", "--format", "json"], environment: readers.environment)
    // A watch with nothing to report gives no sign that it has begun.
    usleep(500_000)
    readers.plugIn(1)
    let arrived = try events(2, of: watch)
    #expect(["readerAdded", "readerPresent"].contains(names(arrived)[0]))
    #expect(arrived.map { $0["address"] as? String } == ["pcsc:Plugged Reader 00 00", "pcsc:Plugged Reader 00 00"])
    readers.plugIn(2)
    // A watch that began late may list the second reader with the first one.
    let isLate = names(arrived)[0] == "readerPresent"
    let next = Array(names(try events(4, of: watch)).suffix(2))
    #expect(next == ["readerAdded", "cardInserted"] || isLate && next == ["readerPresent", "cardPresent"], "\(next)")
    readers.pullOut(1)
    let gone = try #require(try events(5, of: watch).last)
    #expect(gone["event"] as? String == "readerRemoved")
    #expect(gone["address"] as? String == "pcsc:Plugged Reader 00 00")
    watch.signal(SIGINT)
    #expect(try watch.finish(timeout: .seconds(60)) == .exited(0))
  }

  @Test func `without pcscd the watch lists libnfc's devices, reports pcscd once, and ends at Ctrl-C`() throws {
    let watch = try TapProgram.start(["readers", "--watch"], environment: nowhere)
    #expect(
      watch.wait(timeout: .seconds(60)) {
        $0.output.contains("reader service not available") && $0.output.contains("nfc:")
      })
    // Longer than it leaves a missing service alone: the sentence must not come again.
    usleep(700_000)
    watch.signal(SIGINT)
    #expect(try watch.finish(timeout: .seconds(60)) == .exited(0))
    #expect(watch.output.split(separator: "\n").contains("nfc:pn532_uart:/dev/null"))
    #expect(watch.output.count { $0 == "\n" } == 2, "\(watch.output)")
  }

  @Test func `without pcscd libnfc's devices are listed, with one sentence about pcscd`() throws {
    let run = try TapProgram.run("readers", environment: nowhere)
    #expect(run.code == 0)
    #expect(run.output == "nfc:pn532_uart:/dev/null\n")
    #expect(run.errors.hasPrefix("PC/SC readers are not listed: reader service not available"), "\(run.errors)")
    #expect(run.errors.count { $0 == "\n" } == 1)
  }

  @Test func `exit code 1 only when nothing could be asked`() throws {
    // A program without tap-nfc beside it.
    try TapProgram.copy("tap", to: scratch)
    let lonely = scratch.path("tap")
    let run = try TapProgram.finish(ProgramRun(lonely, ["readers"], environment: nowhere))
    #expect(run.code == 3)
    #expect(run.output.isEmpty)
    #expect(run.errors.contains("NFC devices are not listed: cannot start"))
    #expect(run.errors.contains("PC/SC readers are not listed: reader service not available"))
    let pcscd = try IsolatedPCSCD()
    #expect(try TapProgram.finish(ProgramRun(lonely, ["readers"], environment: pcscd.environment)).code == 0)
  }

  @Test func `watching and checking exclude each other`() throws {
    #expect(try TapProgram.run("readers", "--watch", "--check").code == 64)
  }
}
