#if PCSC
  import Foundation
  import TestSupport
  import Testing

  /// The two programs of the article "As a library", built in a package of their own: `tools/test` builds them with
  /// `tools/client` and names their folder in the environment.
  @Suite("A package that depends on this one", .blocks, .timeLimit(.minutes(20)))
  struct ClientPackageTests {
    private static let folder = ProcessInfo.processInfo.environment["CONTACTLESS_CLIENT"]

    private func start(_ program: String, _ place: String, _ environment: [String: String] = [:]) throws -> ProgramRun {
      let folder = try #require(Self.folder)
      return try ProgramRun("env", ["-C", scratch.path(""), "\(folder)/\(program)", place], environment: environment)
    }

    private let scratch: Scratch

    init() throws {
      scratch = try Scratch()
      try FileManager.default.copyItem(atPath: TapProgram.card("visa-cvn18"), toPath: scratch.path("card.json"))
      try FileManager.default.copyItem(
        atPath: TapProgram.terminal("attended-eur"), toPath: scratch.path("terminal.json"))
    }

    @Test(.enabled(if: folder != nil, "tools/test names the folder of the programs"))
    func `its wallet pays at its terminal through a real pcscd`() throws {
      let pcscd = try IsolatedPCSCD()
      let wallet = try start("pay", "vpcd:127.0.0.1:\(pcscd.port)")
      let terminal = try start("accept", "pcsc:\(pcscd.readerNames[0])", pcscd.environment)
      #expect(try terminal.finish() == .exited(0), "\(terminal.errors)")
      #expect(terminal.output == "12.34 EUR: online request, 5 exchanges\n")
      #expect(try wallet.finish() == .exited(0), "\(wallet.errors)")
      #expect(wallet.output == "paid with counter 1\n")
    }

    @Test(.enabled(if: folder != nil, "tools/test names the folder of the programs"))
    func `its terminal takes a payment from a card in its own process`() throws {
      let terminal = try start("accept", "loopback:card.json")
      #expect(try terminal.finish() == .exited(0), "\(terminal.errors)")
      #expect(terminal.output == "12.34 EUR: online request, 5 exchanges\n")
      let missing = try start("accept", "loopback:nowhere.json")
      #expect(try missing.finish() == .exited(1) && missing.errors.hasPrefix("error: "), "\(missing.errors)")
    }

    @Test(
      .enabled(if: folder != nil, "tools/test names the folder of the programs"),
      arguments: [("accept", "ACS", "pcsc:NAME"), ("pay", "vpcd:localhost", "vpcd:HOST:PORT")])
    func `a text that names no reader and no link is an error with the forms`(
      _ program: String, _ place: String, _ form: String
    ) throws {
      let run = try start(program, place)
      #expect(try run.finish() == .exited(1))
      #expect(run.errors.contains("\"\(place)\"") && run.errors.contains(form), "\(run.errors)")
    }
  }
#endif
