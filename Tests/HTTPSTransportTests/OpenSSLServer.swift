import Foundation
import TestSupport
import Testing

/// `openssl s_server` on a free port of this machine.
final class OpenSSLServer: Sendable {
  private let run: ProgramRun
  // The server ends when its standard input does.
  private let input = Pipe()
  let port: Int

  /// Starts the server and waits until it listens.
  ///
  /// - Parameters:
  ///   - options: Options of `s_server` besides the address.
  ///   - directory: Where the server finds files.
  ///   - port: The port; 0 for a free one.
  init(_ options: [String], directory: String = "/", port: Int = 0) throws {
    // Above the numbers that a child gets.
    let reading = fcntl(input.fileHandleForReading.fileDescriptor, F_DUPFD_CLOEXEC, 10)
    defer { close(reading) }
    run = try ProgramRun(
      "env", ["-C", directory, "openssl", "s_server", "-accept", "127.0.0.1:\(port)"] + options,
      descriptors: [0: reading])
    let isListening = run.wait(timeout: .seconds(60)) { $0.output.contains("ACCEPT") }
    try #require(isListening, "s_server does not listen: \(run.errors)")
    // It prints the port only if it has chosen it.
    guard port == 0 else {
      self.port = port
      return
    }
    let line = try #require(run.output.split(separator: "\n").first { $0.hasPrefix("ACCEPT ") })
    self.port = try #require(line.split(separator: ":").last.flatMap { Int($0) })
  }

  /// Serves with a certificate.
  convenience init(
    _ files: TestAuthority.ServerFiles, _ options: [String] = [], directory: String = "/", port: Int = 0
  ) throws {
    try self.init(["-cert", files.certificate, "-key", files.key] + options, directory: directory, port: port)
  }

  /// What the server has printed.
  var output: String { run.output }

  /// Ends the server.
  func stop() {
    run.signal(SIGKILL)
    _ = run.wait(timeout: .seconds(60))
  }

  /// Waits until the server has printed a text.
  func waits(for text: String) -> Bool { run.wait(timeout: .seconds(60)) { $0.output.contains(text) } }

  func url(_ path: String = "/", host: String = "localhost") -> String { "https://\(host):\(port)\(path)" }
}
