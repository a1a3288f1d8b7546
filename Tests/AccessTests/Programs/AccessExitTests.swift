import Foundation
import TestSupport
import Testing

/// The exit codes of `tap-wallet`, `tap-server` and `tap-authorize`, which mean what those of `tap` mean. The article
/// TheProgramTap has the tables.
@Suite("Exit codes of wallet and server", .blocks, .timeLimit(.minutes(10)))
struct AccessExitTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    for name in ["open.json", "settings/settings.json"] {
      let file = URL(filePath: scratch.path(name))
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      try Data("{".utf8).write(to: file)
    }
    let damaged = try scratch.write("damaged", String(repeating: "no database", count: 100))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: damaged)
    _ = try scratch.write("request", "{}\n")
  }

  private static let wallet = "--state DIR/wallet"
  private static let new = "register --account a --authenticator pin --name P"
  private static let serve = "--listen 127.0.0.1:0 --self-signed DIR/identity"

  /// A command line, its exit code and the case; `<FILE` at the end is its standard input, and DIR the folder of `init`.
  static let rows: [(line: String, code: Int32, name: String)] = [
    ("tap-wallet accounts \(wallet)", 0, "done"), ("tap-wallet accounts --state DIR/open.json", 1, "no folder"),
    ("tap-wallet accounts --state DIR/settings", 2, "malformed settings"),
    ("tap-wallet accounts \(wallet) --answers /nowhere", 1, "no answers"),
    ("tap-wallet accounts \(wallet) --answers DIR/open.json", 2, "malformed answers"),
    ("tap-wallet \(new) \(wallet)", 64, "no server"),
    ("tap-wallet \(new) \(wallet) --server https://127.0.0.1:1", 3, "server not reached"),
    ("tap-wallet \(new) \(wallet) --server https://127.0.0.1:1 --ca /nowhere", 1, "no authorities"),
    ("tap-wallet status \(wallet) --server https://127.0.0.1:1", 3, "server not reached"),
    ("tap-wallet redeem zz \(wallet) --server https://127.0.0.1:1", 1, "no file"),
    ("tap-wallet redeem {} \(wallet) --server https://127.0.0.1:1", 2, "malformed message"),
    ("tap-wallet story /nowhere", 1, "no journal"), ("tap-wallet story DIR/open.json", 2, "malformed journal"),
    ("tap-wallet pay --link usb \(wallet)", 64, "wrong value"),
    ("tap-wallet authorize --server https://127.0.0.1:1 <DIR/request", 2, "malformed request"),
    ("tap-authorize --server https://127.0.0.1:1 <DIR/request", 2, "malformed request"),
    ("tap-authorize --server https://127.0.0.1:1 --ca /nowhere <DIR/request", 1, "no authorities"),
    ("tap-authorize --server http://127.0.0.1:1", 64, "wrong value"),
    ("tap-server \(serve) --database memory --configuration DIR/open.json", 2, "malformed configuration"),
    ("tap-server \(serve) --database memory --configuration /nowhere", 1, "no configuration"),
    ("tap-server \(serve) --database sqlite:DIR/damaged", 2, "damaged database"),
    ("tap-server \(serve) --database sqlite:/nowhere/x", 1, "no database"),
    ("tap-server configuration check --self-signed DIR/identity --configuration DIR/open.json", 2, "problems"),
    ("tap-server configuration show --self-signed DIR/identity --configuration DIR/open.json", 2, "problems"),
    ("tap-server configuration show --self-signed DIR/identity --configuration /nowhere", 1, "no configuration"),
    ("tap-server backup DIR/copy --database postgresql://a@127.0.0.1/a", 64, "no file to copy"),
    ("tap-server backup DIR/copy --database sqlite:/nowhere/x", 1, "no database"),
    ("tap-server backup DIR/copy --database sqlite:DIR/damaged", 2, "damaged database"),
  ]

  @Test(arguments: rows.indices)
  func `a command ends with the code of its case`(_ row: Int) throws {
    let (line, code, name) = Self.rows[row]
    var words = line.replacing("DIR/", with: scratch.path("") + "/").split(separator: " ").map(String.init)
    let input = words.last?.hasPrefix("<") == true ? String(words.removeLast().dropFirst()) : "/dev/null"
    let file = try FileHandle(forReadingFrom: URL(filePath: input))
    let descriptor = fcntl(file.fileDescriptor, F_DUPFD_CLOEXEC, 10)
    defer { close(descriptor) }
    let run = try ProgramRun(AccessPrograms.path(words[0]), Array(words.dropFirst()), descriptors: [0: descriptor])
    #expect(try run.finish() == .exited(code), "\(line), \(name): \(run.output)\(run.errors)")
  }
}
