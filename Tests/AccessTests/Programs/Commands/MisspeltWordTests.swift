import TestSupport
import Testing

/// What a program answers to a word that it does not have.
@Suite("Misspelt words", .blocks, .timeLimit(.minutes(5))) struct MisspeltWordTests {
  /// A command line, the message, and the command whose usage follows.
  static let rows = [
    ("tap acept", "unknown command \"acept\". Did you mean \"accept\"?", "tap"),
    ("tap accept --amout 3", "unknown option \"--amout\". Did you mean \"--amount\"?", "tap accept"),
    ("tap-wallet opn", "unknown command \"opn\". Did you mean \"open\"?", "tap-wallet"),
    ("tap-wallet cards lst --state x", "unknown command \"lst\". Did you mean \"list\"?", "tap-wallet cards"),
    ("tap-wallet open --stat x", "unknown option \"--stat\". Did you mean \"--state\"?", "tap-wallet open"),
    ("tap-server usr", "unknown command \"usr\". Did you mean \"user\"?", "tap-server"),
    ("tap-server --lisen x", "unknown option \"--lisen\". Did you mean \"--listen\"?", "tap-server serve"),
    (
      "tap-server card script x --block-crad", "unknown option \"--block-crad\". Did you mean \"--block-card\"?",
      "tap-server card script order"
    ),
    ("tap-device srve", "unknown command \"srve\". Did you mean \"serve\"?", "tap-device"),
    ("tap-device serve --usr x", "unknown option \"--usr\". Did you mean \"--user\"?", "tap-device serve"),
    ("tap-authorize --sever x", "unknown option \"--sever\". Did you mean \"--server\"?", "tap-authorize"),
    ("tap-nfc --versoin", "unknown option \"--versoin\". Did you mean \"--version\"?", "tap-nfc"),
    ("tap-nfc serve", "unknown argument \"serve\".", "tap-nfc"),
  ]

  @Test(arguments: rows)
  func `a program names the misspelt word, the one that was probably meant, and the usage`(
    _ line: String, _ message: String, _ command: String
  ) throws {
    let words = line.split(separator: " ").map(String.init)
    let run = try ProgramRun(AccessPrograms.path(words[0]), Array(words.dropFirst()))
    #expect(try run.finish(timeout: .seconds(60)) == .exited(64))
    #expect(run.errors.hasPrefix("error: \(message)\nUsage: \(command) "), "\(run.errors)")
    #expect(run.errors.hasSuffix("  See '\(command) --help' for more information.\n"), "\(run.errors)")
    #expect(run.output.isEmpty, "\(run.output)")
  }
}
