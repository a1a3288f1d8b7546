#if PCSC
  import Foundation
  import TestSupport
  import Testing

  /// The four programs of the article "As a library", built in a package of their own: `tools/test` builds them with
  /// `tools/client` and names their folder in the environment.
  @Suite("A package that depends on this one", .blocks, .timeLimit(.minutes(20)))
  struct ClientPackageTests {
    private static let folder = ProcessInfo.processInfo.environment["CONTACTLESS_CLIENT"]

    private func start(
      _ program: String, _ arguments: String..., environment: [String: String] = [:]
    ) throws -> ProgramRun {
      let folder = try #require(Self.folder)
      return try ProgramRun(
        "env", ["-C", scratch.path(""), "\(folder)/\(program)"] + arguments, environment: environment)
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
      let terminal = try start("accept", "pcsc:\(pcscd.readerNames[0])", environment: pcscd.environment)
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

    /// Starts a server that issues a card. Returns it, its URL and the file of its authority.
    private func startServer() throws -> (run: ProgramRun, url: String, authority: String) {
      let card = try String(contentsOfFile: TapProgram.card("visa-cvn18"), encoding: .utf8)
      let server = try ProgramRun(
        URL(filePath: TapProgram.path).deletingLastPathComponent().appending(path: "tap-server").path,
        [
          "serve", "--listen", "127.0.0.1:0", "--database", "memory", "--self-signed", scratch.path("server"),
          "--configuration", try scratch.write("server.json", #"{"cards": [\#(card)]}"#),
        ])
      try #require(server.wait(timeout: .seconds(120)) { $0.output.contains("\n") }, "\(server.errors)")
      let ready = try JSONSerialization.jsonObject(with: Data(server.output.utf8)) as? [String: Any]
      return (server, try #require(ready?["url"] as? String), try #require(ready?["ca"] as? String))
    }

    @Test(
      .enabled(if: folder != nil, "tools/test names the folder of the programs"),
      arguments: [
        ("authenticate", "carol", "carol is authenticated by pin at URL\n"),
        (
          "enrol", "carol@example.org",
          "carol@example.org is logged in; the card \"Visa wallet card, CVN 18\" has keys for 10 payments\n"
        ),
      ])
    func `its person authenticates, and its wallet receives a card, at a tap-server`(
      _ program: String, _ name: String, _ sentence: String
    ) throws {
      let (server, url, authority) = try startServer()
      let client = try start(program, url, authority, name)
      #expect(try client.finish(timeout: .seconds(120)) == .exited(0), "\(client.errors)")
      #expect(client.output == sentence.replacingOccurrences(of: "URL", with: url))
      let again = try start(program, url, authority, name)
      #expect(try again.finish(timeout: .seconds(120)) == .exited(1))
      #expect(again.output.isEmpty && again.errors.hasPrefix("error: "), "\(again.output)\(again.errors)")
      // A sentence, and no dump of a value of Swift.
      #expect(again.errors.split(separator: "\n").count == 1 && !again.errors.contains(/\w\(/), "\(again.errors)")
      server.signal(SIGTERM)
      #expect(try server.finish() == .exited(0), "\(server.errors)")
    }
  }
#endif
