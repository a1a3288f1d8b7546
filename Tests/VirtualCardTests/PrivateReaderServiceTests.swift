import Foundation
import ISO7816
import Links
import TestSupport
import Testing
import VirtualCard

/// Each test starts its own pcscd.
@Suite(.blocks, .serialized, .timeLimit(.minutes(20)))
struct PrivateReaderServiceTests {
  /// The slots that opensc-tool lists, one line for each.
  private func listing(_ service: PrivateReaderService) throws -> String {
    let program = try ProgramRun("opensc-tool", ["--list-readers"], environment: service.environment)
    #expect(try program.finish() == .exited(0), "\(program.errors)")
    return program.output
  }

  private func isRunning(_ process: Int32?) -> Bool { process.map { kill($0, 0) == 0 } ?? false }

  @Test func `two virtual readers hold four cards at the same time`() throws {
    let readers = try [ReaderEntry.virtualReader(named: "First"), .virtualReader(named: "Second one")]
    let service = try PrivateReaderService(readers: readers)
    #expect(service.readerNames == ["First 00 00", "First 00 01", "Second one 00 00", "Second one 00 01"])
    let ports = readers.flatMap { [UInt16($0.channel), UInt16($0.channel) + 1] }
    let cards = try ports.enumerated().map { index, port in
      let link = try VPCDLink(port: port, answerToReset: AnswerToReset.contactless(historicalBytes: [UInt8(index)]))
      return (link: link, thread: serving(link, ScriptedResponder()))
    }
    defer { for card in cards { card.link.stop() } }
    // Not from the log: pcscd does not log a card that is present at the first look of the reader's thread.
    let lines = service.readerNames.map { "Yes             \($0)" }
    var text = ""
    let areSeen = try waits {
      text = try listing(service)
      return lines.allSatisfy(text.contains)
    }
    #expect(areSeen, "\(text)\(service.log)")
    for (index, name) in service.readerNames.enumerated() {
      let program = try ProgramRun("opensc-tool", ["--reader", name, "--atr"], environment: service.environment)
      #expect(try program.finish() == .exited(0))
      #expect(program.output.hasPrefix("3b:81:80:01:0\(index):"), "\(program.output)")
    }
    for card in cards { card.link.stop() }
    for card in cards { try card.thread.join() }
  }

  private func waits(until isFulfilled: () throws -> Bool) rethrows -> Bool {
    let end = ContinuousClock.now + .seconds(60)
    while try !isFulfilled(), ContinuousClock.now < end { usleep(10_000) }
    return try isFulfilled()
  }

  @Test func `a restarted pcscd has the same readers, and a closed one leaves nothing`() throws {
    let service = try PrivateReaderService(readers: [.virtualReader(named: "Again")])
    for end in [service.kill, service.stop] {
      let process = try #require(service.identifier)
      end()
      #expect(service.identifier == nil && !isRunning(process))
      #expect(FileManager.default.fileExists(atPath: service.directory))
      try service.restart()
      #expect(try listing(service).contains("Again 00 01"))
    }
    let process = service.identifier
    #expect(isRunning(process))
    service.close()
    service.close()
    #expect(service.identifier == nil && !isRunning(process))
    #expect(!FileManager.default.fileExists(atPath: service.directory))
    #expect(service.log.isEmpty)
  }

  @Test func `a pcscd that is restarted with other readers keeps its socket`() throws {
    let first = try ReaderEntry.virtualReader(named: "First")
    let service = try PrivateReaderService(readers: [first])
    try service.restart(readers: [first, .virtualReader(named: "Second")])
    #expect(service.readers.map(\.friendlyName) == ["First", "Second"])
    var text = try listing(service)
    for name in service.readerNames { #expect(text.contains(name), "\(text)") }
    let missing = linkError { () throws(LinkError) in
      try service.restart(readers: [ReaderEntry(friendlyName: "Absent", driver: "/nowhere/driver.so")])
    }
    #expect(missing?.code == .readerUnavailable)
    // A list with a missing driver changes nothing.
    #expect(try listing(service) == text)
    try service.restart(readers: [first])
    text = try listing(service)
    #expect(text.contains("First 00 01") && !text.contains("Second"), "\(text)")
  }

  @Test func `pcscd ends with its owner`() throws {
    var service: PrivateReaderService? = try PrivateReaderService(readers: [.virtualReader(named: "Left")])
    let (process, directory) = try (#require(service?.identifier), #require(service?.directory))
    service = nil
    #expect(!isRunning(process))
    #expect(!FileManager.default.fileExists(atPath: directory))
  }

  @Test func `no process and no directory remain when the program is killed`() async throws {
    let result = try await #require(processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]) {
      let service = try PrivateReaderService(readers: [.virtualReader(named: "Orphan")])
      print("service:\(service.identifier ?? 0):\(service.directory):")
      fflush(nil)
      kill(getpid(), SIGKILL)
    }
    let said = String(decoding: result.standardOutputContent, as: UTF8.self)
    let parts = said[try #require(said.range(of: "service:")).upperBound...].split(separator: ":")
    let process = try #require(Int32(parts[0]))
    #expect(process > 0)
    #expect(waits { !isRunning(process) && !FileManager.default.fileExists(atPath: String(parts[1])) })
  }

  @Test func `a missing driver and a taken port are errors with a remedy`() throws {
    let absent = ReaderEntry(friendlyName: "Absent", driver: "/nowhere/driver.so")
    let missing = linkError { () throws(LinkError) in _ = try PrivateReaderService(readers: [absent]) }
    #expect(missing?.code == .readerUnavailable)
    #expect(missing?.reason.contains("/nowhere/driver.so") == true)
    let broken = ReaderEntry(friendlyName: "Broken", driver: "/etc/hostname")
    let unusable = linkError { () throws(LinkError) in _ = try PrivateReaderService(readers: [broken]) }
    #expect(unusable?.code == .readerUnavailable, "\(unusable?.reason ?? "")")
    let first = try PrivateReaderService(readers: [.virtualReader(named: "Owner")])
    let port = UInt16(first.readers[0].channel)
    let taken = linkError { () throws(LinkError) in
      _ = try PrivateReaderService(readers: [.virtualReader(named: "Second", port: port)])
    }
    #expect(taken?.code == .readerUnavailable, "\(taken?.reason ?? "")")
    #expect(taken?.reason.contains("Second") == true)
    #expect(try listing(first).contains("Owner 00 00"))
  }

  @Test func `an entry that the configuration cannot hold traps`() async {
    await #expect(processExitsWith: .failure) { _ = ReaderEntry(friendlyName: "a\"b", driver: "/d.so") }
    await #expect(processExitsWith: .failure) { _ = ReaderEntry(friendlyName: "", driver: "/d.so") }
    await #expect(processExitsWith: .failure) {
      _ = ReaderEntry(friendlyName: String(repeating: "n", count: 122), driver: "/d.so")
    }
    await #expect(processExitsWith: .failure) { _ = ReaderEntry(friendlyName: "n", driver: "/a b.so") }
    await #expect(processExitsWith: .failure) { _ = ReaderEntry(friendlyName: "n", driver: "/d.so", slotCount: 17) }
    await #expect(processExitsWith: .failure) { _ = ReaderEntry.virtualReader(named: "n", port: 65535) }
  }
}
