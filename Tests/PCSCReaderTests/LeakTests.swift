#if PCSC
  import Glibc
  import ISO7816
  import Links
  import TestSupport
  import Testing
  import VirtualCard

  @testable import PCSCReader

  /// Descriptors and threads are counted per process, so each test runs in a separate one.
  @Suite(.blocks, .serialized, .timeLimit(.minutes(20)))
  struct LeakTests {
    /// The open resources of a process.
    private struct OpenResources: Equatable {
      let descriptors: Int
      /// The threads of PCSCReader, by their names.
      let threads: Int

      static var now: OpenResources {
        let tasks = Self.names(in: "/proc/self/task").filter {
          Self.text("/proc/self/task/\($0)/comm").hasPrefix("pcsc-")
        }
        return OpenResources(descriptors: Self.names(in: "/proc/self/fd").count, threads: tasks.count)
      }

      /// The resources after all abandoned threads have ended, which they do when their call returns.
      static var settled: OpenResources {
        for _ in 0..<6000 where now.threads > 0 { usleep(10_000) }
        return now
      }

      private static func names(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
          names.append(
            withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
        return names
      }

      private static func text(_ path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var room = [UInt8](repeating: 0, count: 64)
        return String(decoding: room.prefix(fread(&room, 1, 64, file)), as: UTF8.self)
      }
    }

    @Test func `channels that are closed, released, torn, refused and abandoned leave no descriptor and no thread`()
      async
    {
      await #expect(processExitsWith: .success) {
        let pcscd = try IsolatedPCSCD()
        setenv("PCSCLITE_CSOCK_NAME", pcscd.socketPath, 1)
        // The first round opens what remains open in the process.
        try LeakTests.round(at: pcscd)
        let before = OpenResources.settled
        for _ in 0..<5 { try LeakTests.round(at: pcscd) }
        #expect(OpenResources.settled == before)
        #expect(before.threads == 0)
      }
    }

    @Test func `contexts of a killed pcscd leave no descriptor and no thread`() async {
      await #expect(processExitsWith: .success) {
        let pcscd = try IsolatedPCSCD()
        setenv("PCSCLITE_CSOCK_NAME", pcscd.socketPath, 1)
        try LeakTests.death(of: pcscd)
        let before = OpenResources.settled
        for _ in 0..<3 { try LeakTests.death(of: pcscd) }
        #expect(OpenResources.settled == before)
      }
    }

    /// Every way in which a channel can open and end while pcscd runs.
    private static func round(at pcscd: IsolatedPCSCD) throws {
      let reader = pcscd.readerNames[0]
      let link = try VPCDLink(port: pcscd.port)
      let card = serving(link, ScriptedResponder())
      _ = try PCSCMonitor().waitForCard(in: reader, timeout: .seconds(30))
      for _ in 0..<20 {
        var channel = try PCSCChannel(reader: reader)
        _ = try channel.exchange(.getData(0x9F36))
        channel.close()
      }
      for _ in 0..<5 { _ = try PCSCChannel(reader: reader) }
      for _ in 0..<20 {
        _ = linkError { () throws(LinkError) in _ = try PCSCChannel(reader: pcscd.readerNames[1]) }
        _ = linkError { () throws(LinkError) in _ = try PCSCChannel(reader: "No Such Reader") }
        _ = try PCSCService.readers()
      }
      let other = try PCSCContext().connect(to: reader, sharing: .shared).beginTransaction()
      for _ in 0..<3 {
        let refusal = linkError { () throws(LinkError) in
          _ = try PCSCChannel(reader: reader, patience: .milliseconds(20))
        }
        #expect(refusal?.code == .busy)
      }
      try other.end().disconnect(.leave).release()
      var torn = try PCSCChannel(reader: reader, patience: .seconds(60))
      link.stop()
      try card.join()
      #expect(linkError { () throws(LinkError) in _ = try torn.exchange(.getData(0x9F36)) }?.code == .cardRemoved)
      let monitor = try PCSCMonitor()
      while try PCSCService.readers().contains(where: { $0.card != nil }) { _ = try monitor.next(timeout: .seconds(1)) }
    }

    /// A monitor and a channel whose pcscd is killed.
    private static func death(of pcscd: IsolatedPCSCD) throws {
      let link = try VPCDLink(port: pcscd.port)
      let card = serving(link, ScriptedResponder())
      let monitor = try PCSCMonitor()
      _ = try monitor.waitForCard(in: pcscd.readerNames[0], timeout: .seconds(30))
      var channel = try PCSCChannel(reader: pcscd.readerNames[0])
      pcscd.kill()
      #expect(linkError { () throws(LinkError) in try card.join() }?.code == .terminalLost)
      #expect(
        linkError { () throws(LinkError) in _ = try channel.exchange(.getData(0x9F36)) }?.code == .serviceUnavailable)
      let lost = linkError { () throws(LinkError) in while try monitor.next(timeout: .seconds(60)) != nil {} }
      #expect(lost?.code == .serviceUnavailable)
      try pcscd.restart()
    }
  }
#endif
