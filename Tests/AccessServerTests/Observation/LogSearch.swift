import AccessMessages
@testable import AccessServer
import Documents
import Fixtures
import Foundation
import HTTPSTransport
import JOSE
import JSON
import Octets
@testable import ServerShell
import Synchronization
import Testing

/// Compares each line of the logs of this test target with each secret that its tests use, whichever comes first.
///
/// The logs are those of all services in `TestServer` and of all programs in `RunningServer`, in `ServerPair` and in
/// `AccessPrograms`, whose test targets share this file. A secret is each text in a body, a credential in a header, a component of
/// a path, each answer of a person, and each key of a server and a device.
final class LogSearch: Sendable {
  /// The search that all tests share. A finding is an issue of the test that uses the secret or makes the line.
  static let all = LogSearch { Issue.record("\($0)") }

  private struct State {
    var secrets: Set<String> = []
    /// The parts of lines that could contain anything.
    var texts: Set<String> = []
  }

  private let state = Mutex(State())
  private let report: @Sendable (_ finding: String) -> Void

  init(report: @escaping @Sendable (_ finding: String) -> Void) { self.report = report }

  /// A log whose lines are searched.
  var log: ServerLog { ServerLog(.json, from: .debug) { [self] in read($0) } }

  /// Searches a line of a log.
  func read(_ line: String) {
    let parts: [String]
    do throws(LogLine.WrongForm) {
      parts = try LogLine(line).texts
    } catch {
      return report("\(error.reason): \(line)")
    }
    let findings = state.withLock { state in
      let new = parts.filter { state.texts.insert($0).inserted }
      return new.flatMap { text in
        state.secrets.filter { Self.isFound($0, in: text) }.map { "\"\($0)\" is in a log: \(text)" }
      }
    }
    findings.forEach(report)
  }

  /// Searches the output of a program.
  func read(errorsOf output: String) {
    for line in output.split(separator: "\n") { read(String(line)) }
  }

  /// Adds a secret. Texts of fewer than four characters, words of the names of routes, and large texts are ignored.
  func use(_ secret: String) {
    guard (4...4_096).contains(secret.utf8.count), !Self.commonWords.contains(secret) else { return }
    let findings = state.withLock { state in
      guard state.secrets.insert(secret).inserted else { return [String]() }
      return state.texts.filter { Self.isFound(secret, in: $0) }.map { "\"\(secret)\" is in a log: \($0)" }
    }
    findings.forEach(report)
  }

  /// Adds a key, as hexadecimal digits and in base64url.
  func use(_ key: [UInt8]) { [key.hex, key.base64URL].forEach(use) }

  /// Adds all texts of a value, and those of JSON in a text.
  func use(_ json: JSONValue) {
    if let text = json.text {
      use(text)
      if text.hasPrefix("{") || text.hasPrefix("["), let inner = try? JSONValue(parsing: Array(text.utf8)) {
        use(inner)
      }
    }
    json.list?.forEach(use)
    json.members?.forEach { use($0.value) }
  }

  /// Adds what a request contains.
  func use(_ target: String, headers: [(name: String, value: String)], body: [UInt8]) {
    if let target = RequestTarget(target) {
      target.components.forEach(use)
      target.query.values.forEach(use)
    }
    for (name, value) in headers {
      switch name.lowercased() {
      case "authorization", "device-signature": use(String(value.split(separator: " ").last ?? ""))
      case "cookie", "set-cookie":
        for pair in value.split(separator: ";") {
          use(pair.split(separator: "=", maxSplits: 1).last.map(String.init) ?? "")
        }
      default: break
      }
    }
    if let json = try? JSONValue(parsing: body) { return use(json) }
    RequestTarget.fields(of: Substring(String(decoding: body, as: UTF8.self)))?.values.forEach(use)
  }

  // Letters and digits are found as words of their own, and both together where they are few: "another" has the name "other",
  // a number of milliseconds has the digits of a PIN, and the name of a file may have those of a tag.
  private static func isFound(_ secret: String, in text: String) -> Bool {
    let isNumber = secret.allSatisfy(\.isNumber)
    let isShort = secret.utf8.count < 10 && secret.allSatisfy { $0.isLetter || $0.isNumber }
    let joining = isNumber ? "-_./" : ""
    guard isNumber || isShort || secret.allSatisfy(\.isLetter) else { return text.contains(secret) }
    return text.split { !$0.isLetter && !$0.isNumber && !joining.contains($0) }.contains { $0 == secret }
  }

  /// The words of routes and messages. A secret that is one of them could not be told from them.
  private static let commonWords: Set<String> = {
    let messages = """
      request; the server ends: open requests have; this server commits the faults of; registration is open; the store \
      failed; no space is left on its disk; another process has locked it for more than; was removed or replaced while \
      the server used it: put the file back, and start the server again; is behind a proxy, and origins is not set: it \
      accepts wallets at the origin of url, and at the names of the certificate with the port, and at no other one. Set origins
      """
    let routes = AccessService.routes.flatMap { [$0.method] + $0.pattern }
    // A problem of a configuration lists the keys that there are.
    let keys = ConfigurationKeys.all.map(\.name)
    return Set(routes + keys + messages.split { !$0.isLetter }.map(String.init))
  }()
}

/// A line of a log in JSON.
struct LogLine {
  struct WrongForm: Error {
    let reason: String
  }

  /// The parts that could contain anything.
  let texts: [String]
  let members: [String: JSONValue]

  /// Reads a line. Each member but the message has a form or a set of values in which no secret fits. A line that is not JSON
  /// is a message.
  init(_ line: String) throws(WrongForm) {
    guard line.hasPrefix("{"), let json = try? JSONValue(parsing: Array(line.utf8)), let members = json.members else {
      (texts, self.members) = ([line], [:])
      return
    }
    self.members = Dictionary(members.map { ($0.key, $0.value) }) { $1 }
    texts = members.filter { $0.key == "message" }.compactMap(\.value.text)
    for member in members where member.key != "message" && !Self.isAllowed(member.key, member.value) {
      throw WrongForm(reason: "the member \(member.key) of a line of a log has a value that it must not have")
    }
  }

  private static let routes = Set(AccessService.routes.map(\.name) + [RequestOutcome.unknownRoute])

  fileprivate static func isAllowed(_ name: String, _ value: JSONValue) -> Bool {
    let text = value.text ?? ""
    return switch name {
    case "time": String(text.map { "0"..."9" ~= $0 ? "0" : $0 }) == "0000-00-00T00:00:00.000Z"
    case "level": ServerLog.Level(rawValue: text) != nil
    case "requestId": text.utf8.count == 32 && text.allSatisfy("0123456789abcdef".contains)
    case "route": routes.contains(text)
    case "address": text == "unknown" || NetworkAddress(text) != nil
    case "status": (100...599).contains(value.integer ?? 0)
    case "seconds": (value.number ?? -1) >= 0
    case "refusal": codes.contains(text) || (1_000...1_999).contains(Int(text) ?? 0)
    default: false
    }
  }

  /// The codes of refusals in the description of the interface.
  private static let codes: Set<String> = {
    let text = (try? Fixtures.data("API/openapi.yaml")).map { String(decoding: $0, as: UTF8.self) } ?? ""
    return Set(text.matches(of: /\n {12}- ([A-Za-z]+)(?=\n)/).map { String($0.output.1) })
  }()
}
