#if PCSC
  import Glibc
  import ISO7816
  import Links
  import PCSCReader
  import TestSupport
  import Testing
  import VirtualCard

  /// Each test runs in a separate process: the client library uses one socket per process.
  @Suite(.blocks, .serialized, .timeLimit(.minutes(20)))
  struct ServiceLossTests {
    @Test func `every call without pcscd is serviceUnavailable with the command that starts it`() async {
      await #expect(processExitsWith: .success) {
        setenv("PCSCLITE_CSOCK_NAME", "/tmp/no-pcscd-listens-here", 1)
        let failures = [
          linkError { () throws(LinkError) in _ = try PCSCService.readers() },
          linkError { () throws(LinkError) in _ = try PCSCChannel(reader: "any") },
          linkError { () throws(LinkError) in _ = try PCSCMonitor() },
        ]
        for failure in failures {
          #expect(failure?.code == .serviceUnavailable)
          #expect(failure?.reason.contains("reader service not available") == true)
          #expect(failure?.reason.contains("apt-get install pcscd") == true)
        }
      }
    }

    @Test(arguments: [SIGKILL, SIGTERM])
    func `a pcscd that ends during a command is one error for the terminal and one for the card`(
      signal: Int32
    ) async {
      await #expect(processExitsWith: .success) { [signal] in
        let pcscd = try IsolatedPCSCD()
        setenv("PCSCLITE_CSOCK_NAME", pcscd.socketPath, 1)
        let journal = ResponderJournal()
        let gate = ScriptedResponder.Gate()
        let link = try VPCDLink(port: pcscd.port)
        let card = serving(link, ScriptedResponder(pace: .held(gate), journal: journal))
        let monitor = try PCSCMonitor()
        _ = try monitor.waitForCard(in: pcscd.readerNames[0], timeout: .seconds(30))
        let watcher = DedicatedThread(named: "watcher") {
          linkError { () throws(LinkError) in while try monitor.next(timeout: .seconds(60)) != nil {} }?.code
        }
        let reader = pcscd.readerNames[0]
        let terminal = DedicatedThread(named: "terminal") { () throws(LinkError) -> [LinkError.Code?] in
          var channel = try PCSCChannel(reader: reader)
          return (0..<2).map { _ in
            linkError { () throws(LinkError) in _ = try channel.exchange(.getData(0x9F36)) }?.code
          }
        }
        #expect(journal.wait { $0.last == .command(CommandAPDU.getData(0x9F36).encoded) })
        if signal == SIGKILL { pcscd.kill() } else { pcscd.stop() }
        #expect(try terminal.join() == [.serviceUnavailable, .serviceUnavailable])
        #expect(watcher.join() == .serviceUnavailable)
        gate.open()
        #expect(linkError { () throws(LinkError) in try card.join() }?.code == .terminalLost)
        #expect(journal.fieldEvents == [.powered, .lost])
        #expect(linkError { () throws(LinkError) in _ = try PCSCService.readers() }?.code == .serviceUnavailable)
        try pcscd.restart()
        #expect(try PCSCService.readers().map(\.name) == pcscd.readerNames)
      }
    }

    @Test(arguments: [SIGKILL, SIGTERM])
    func `idle channels and monitors fail after pcscd has ended, and new ones work after it restarts`(signal: Int32)
      async
    {
      await #expect(processExitsWith: .success) { [signal] in
        let pcscd = try IsolatedPCSCD()
        setenv("PCSCLITE_CSOCK_NAME", pcscd.socketPath, 1)
        let first = try VPCDLink(port: pcscd.port)
        let card = serving(first, ScriptedResponder())
        let (monitor, reader) = (try PCSCMonitor(), pcscd.readerNames[0])
        _ = try monitor.waitForCard(in: reader, timeout: .seconds(30))
        var channel = try PCSCChannel(reader: reader)
        #expect(try channel.exchange(.getData(0x9F36)).status == .instructionNotSupported)
        if signal == SIGKILL { pcscd.kill() } else { pcscd.stop() }
        #expect(linkError { () throws(LinkError) in try card.join() }?.code == .terminalLost)
        try pcscd.restart()
        let second = try VPCDLink(port: pcscd.port)
        let next = serving(second, ScriptedResponder())
        // Neither recovers by itself.
        let failures = (0..<2).map { _ in
          linkError { () throws(LinkError) in _ = try channel.exchange(.getData(0x9F36)) }?.code
        }
        #expect(failures == [.serviceUnavailable, .serviceUnavailable])
        let lost = linkError { () throws(LinkError) in while try monitor.next(timeout: .seconds(60)) != nil {} }
        #expect(lost?.code == .serviceUnavailable)
        channel.close()
        monitor.stop()
        _ = try PCSCMonitor().waitForCard(in: reader, timeout: .seconds(30))
        var fresh = try PCSCChannel(reader: reader)
        #expect(try fresh.exchange(.getData(0x9F36)).status == .instructionNotSupported)
        fresh.close()
        second.stop()
        try next.join()
      }
    }
  }
#endif
