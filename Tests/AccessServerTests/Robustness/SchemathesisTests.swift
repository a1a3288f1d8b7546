import Fixtures
import Foundation
import TestSupport
import Testing

/// The program schemathesis, which `tools/test` installs, sends requests that the description of the HTTP interface allows
/// and such that it forbids, and compares each response with the description.
@Suite("The server against its description", .blocks, .timeLimit(.minutes(20)))
struct SchemathesisTests {
  static let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()

  @Test func `schemathesis finds no response that the description does not allow, and no error of the server`() throws {
    let scratch = try Scratch()
    let server = try RunningServer(in: scratch.directory.path)
    // schemathesis writes to the directory in which it is started.
    let run = try ProgramRun(
      "sh",
      [
        "-c", "cd \"$0\" && exec \"$@\"", scratch.path(""), "\(Self.root)/.build/oracles/bin/st", "run",
        Fixtures.url("API/openapi.yaml").path, "--url", server.url, "--tls-verify", server.authority,
        "--header", "Authorization: Bearer \(try server.operatorToken())", "--seed", "2026", "--max-examples", "10",
        "--max-time", "45", "--no-shrink", "--generation-database", "none", "--warnings", "off",
        // A key that is no point of its curve fits the description, and a member that is null counts as absent.
        "--exclude-checks", "positive_data_acceptance,negative_data_rejection",
      ],
      environment: ["SCHEMATHESIS_HOOKS": "\(Self.root)/tools/oracles/schemathesis_hooks.py", "HOME": scratch.path("")])
    let ending = try run.finish(timeout: .seconds(240))
    #expect(ending == .exited(0), "\(run.output.suffix(20_000))\n\(run.errors)")
    #expect(run.output.contains("tested") || run.output.contains("Tested"), "\(run.output)")
    #expect(server.process.poll() == nil)
  }
}
