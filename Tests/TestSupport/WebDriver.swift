import Foundation
import Glibc
import JSON
import Testing

/// Headless Chromium, driven through `chromedriver` (W3C WebDriver). It trusts at most one server certificate beyond those
/// of its system, by the hash of its public key.
public final class WebDriver {
  /// Why the browser did not do what it was asked for.
  public struct Failure: Error, CustomStringConvertible {
    /// The request and the browser's message.
    public let description: String
  }

  private let program: ProgramRun
  private let scratch: Scratch
  private let session: String

  /// Starts the browser.
  ///
  /// - Parameters:
  ///   - pin: The SHA-256 of the public key of the certificate, in base64; nil for no further certificate.
  ///   - scratch: The folder in which the profile of the browser lies.
  public init(trusting pin: String? = nil, in scratch: Scratch) throws {
    self.scratch = scratch
    program = try ProgramRun("chromedriver", ["--port=0"])
    guard program.wait(timeout: .seconds(120), until: { $0.output.contains("started successfully") }),
      let port = program.output.firstMatch(of: /successfully on port ([0-9]+)/)?.output.1
    else { throw Failure(description: "chromedriver does not start: \(program.output)\(program.errors)") }
    let arguments =
      Self.sandbox + [
        // Through a pipe, so that the browser ends when its driver is killed.
        "--headless=new", "--hide-scrollbars", "--remote-debugging-pipe", "--no-proxy-server",
        "--disable-dev-shm-usage",
        "--user-data-dir=\(scratch.path("browser"))",
      ] + (pin.map { ["--ignore-certificate-errors-spki-list=\($0)"] } ?? [])
    let options: JSONValue = ["args": JSONValue(arguments.map { JSONValue($0) })]
    let capabilities: JSONValue = [
      "goog:chromeOptions": options, "goog:loggingPrefs": ["browser": "ALL"], "timeouts": ["implicit": 60_000],
    ]
    let server = "http://127.0.0.1:\(port)/session"
    let answer = try Self.send("POST", server, ["capabilities": ["alwaysMatch": capabilities]])
    session = server + "/" + (try #require(answer["sessionId"]?.text))
  }

  /// The SHA-256 of the public key of a certificate, in base64.
  public static func pin(ofCertificate file: String) throws -> String {
    let command = """
      openssl x509 -in "$0" -noout -pubkey | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64
      """
    let run = try ProgramRun("sh", ["-c", command, file])
    try #require(try run.finish() == .exited(0), "\(run.errors)")
    return run.output.replacing("\n", with: "")
  }

  deinit { program.signal(SIGTERM) }

  /// Ends the browser and its driver.
  public func quit() throws {
    try command("DELETE", "")
    program.signal(SIGTERM)
    #expect(try program.finish() != .exited(1))
  }

  /// Opens a page.
  public func open(_ url: String) throws { try command("POST", "/url", ["url": JSONValue(url)]) }

  /// The URL of the page.
  public func url() throws -> String { try command("GET", "/url").text ?? "" }

  /// Clicks the first element that an XPath finds.
  public func click(_ path: String) throws { try command("POST", "/element/\(element(path))/click", [:]) }

  /// Types into the first element that an XPath finds.
  public func type(_ text: String, into path: String) throws {
    try command("POST", "/element/\(element(path))/value", ["text": JSONValue(text)])
  }

  /// The visible text of the first element that an XPath finds. Waits until the page has one.
  public func text(_ path: String) throws -> String {
    try command("GET", "/element/\(element(path))/text").text ?? ""
  }

  /// The number of elements that an XPath finds now.
  public func count(_ path: String) throws -> Int {
    try #require(Int(evaluate("String(document.evaluate('count(\(path))', document).numberValue)")))
  }

  /// The value of an expression of JavaScript, which must be a text.
  public func evaluate(_ expression: String) throws -> String {
    let script: JSONValue = ["script": JSONValue("return \(expression)"), "args": []]
    return try #require(try command("POST", "/execute/sync", script).text)
  }

  /// Shows pages as on a screen of this size in pixels, light or dark.
  public func emulate(width: Int, height: Int = 844, isDark: Bool) throws {
    try developerTools(
      "Emulation.setDeviceMetricsOverride",
      [
        "width": JSONValue(width), "height": JSONValue(height), "deviceScaleFactor": 1,
        "mobile": JSONValue(width < 700),
      ])
    let scheme: JSONValue = ["name": "prefers-color-scheme", "value": JSONValue(isDark ? "dark" : "light")]
    try developerTools("Emulation.setEmulatedMedia", ["features": [scheme]])
  }

  /// The text of the page on paper, as `pdftotext` reads it. A long page exceeds the 10 seconds that the driver gives:
  /// `printedText(ofFile:in:)` has no limit.
  public func printedText() throws -> String {
    let pdf = try command("POST", "/print", [:]).text ?? ""
    let file = scratch.path("page.pdf")
    try #require(Data(base64Encoded: pdf)).write(to: URL(filePath: file))
    return try Self.text(ofPDF: file)
  }

  /// The text of a saved page on paper, printed by a browser of its own.
  public static func printedText(ofFile path: String, in scratch: Scratch) throws -> String {
    let file = scratch.path("printed.pdf")
    let run = try ProgramRun(
      "chromium",
      sandbox + [
        "--headless=new", "--disable-dev-shm-usage", "--user-data-dir=\(scratch.path("printer"))",
        "--no-pdf-header-footer", "--print-to-pdf=\(file)", "file://\(path)",
      ])
    guard try run.finish(timeout: .seconds(300)) == .exited(0) else { throw Failure(description: run.errors) }
    return try text(ofPDF: file)
  }

  private static func text(ofPDF file: String) throws -> String {
    let run = try ProgramRun("pdftotext", ["-layout", file, "-"])
    guard try run.finish() == .exited(0) else { throw Failure(description: run.errors) }
    return run.output
  }

  /// Chromium's sandbox does not work for root.
  private static var sandbox: [String] { getuid() == 0 ? ["--no-sandbox"] : [] }

  /// What the console of the browser received since the last call, such as violations of a security policy.
  public func console() throws -> String { try command("POST", "/se/log", ["type": "browser"]).compact }

  private func developerTools(_ name: String, _ parameters: JSONValue) throws {
    try command("POST", "/goog/cdp/execute", ["cmd": JSONValue(name), "params": parameters])
  }

  private func element(_ path: String) throws -> String {
    let found = try command("POST", "/element", ["using": "xpath", "value": JSONValue(path)])
    return try #require(found.members?.first?.value.text)
  }

  @discardableResult
  private func command(_ method: String, _ path: String, _ body: JSONValue? = nil) throws -> JSONValue {
    try Self.send(method, session + path, body)
  }

  private static func send(_ method: String, _ url: String, _ body: JSONValue?) throws -> JSONValue {
    let content = body.map { ["-H", "Content-Type: application/json", "--data-binary", $0.compact] } ?? []
    let run = try ProgramRun("curl", ["-sS", "--noproxy", "*", "-X", method] + content + [url])
    guard try run.finish(timeout: .seconds(300)) == .exited(0) else { throw Failure(description: run.errors) }
    let value = try #require(JSONValue(parsing: Array(run.output.utf8))["value"])
    if let error = value["error"]?.text {
      throw Failure(description: "\(method) \(url): \(error): \(value["message"]?.text ?? "")")
    }
    return value
  }
}
