import Foundation
import JSON
import TestSupport
import Testing

/// The page of `tap-wallet story`, read in a real browser.
@Suite("The page of a story", .blocks, .timeLimit(.minutes(20)))
struct StoryPageTests {
  /// A step that polls, and one that is refused.
  private static let journal = """
    {"at": "2026-01-31T09:05:00.000Z", "from": "holder", "to": "tap-wallet", "text": "pay", "refused": false}
    {"at": "2026-01-31T09:05:00.120Z", "from": "tap-wallet", "to": "tap-server", "text": "GET /status: 200"}
    {"at": "2026-01-31T09:05:00.220Z", "from": "tap-wallet", "to": "tap-server", "text": "GET /status: 200"}
    {"at": "2026-01-31T09:05:01.220Z", "from": "tap-wallet", "to": "tap-server", "text": "GET /status: 200"}
    {"step": "pay", "text": "12.34 EUR", "milliseconds": 1250}
    {"from": "operator", "to": "tap-server", "text": "wallet <b>deactivate</b>"}
    {"from": "tap-server", "to": "tap-wallet", "text": "DeviceInactive", "refused": true}

    """

  private func story(_ journal: String, _ scratch: Scratch) throws -> (run: ProgramRun, page: String) {
    let (file, page) = (try scratch.write("journal", journal), scratch.path("story.html"))
    return (try ProgramRun(AccessPrograms.path("tap-wallet"), ["story", file, "--html", page]), page)
  }

  @Test func `steps have results and times, repetitions are folded, and a refusal is seen`() throws {
    let scratch = try Scratch()
    let (run, page) = try story(Self.journal, scratch)
    #expect(try run.finish() == .exited(0), "\(run.errors)")
    #expect(run.output.contains("GET /status: 200 (3 times)") && run.output.contains("DeviceInactive (refused)"))
    let browser = try WebDriver(in: scratch)
    for (width, height, isDark) in [(1_400, 900, false), (420, 800, true)] {
      try browser.emulate(width: width, height: height, isDark: isDark)
      try browser.open("file://\(page)")
      #expect(try browser.evaluate("String(document.documentElement.scrollWidth)") == "\(width)")
      #expect(try browser.text("//section[1]/h2").hasPrefix("pay"))
      #expect(try browser.text("//section[1]").contains("GET /status: 200 (3 times)"))
      #expect(try browser.text("//section[1]/h2/small") == "1250 ms")
      #expect(try browser.text("//section[1]/ol/li[2]/span") == "+0.120 to +1.220")
      #expect(try browser.text("//section[2]//li[@class='refused']").contains("refused"))
      #expect(try browser.text("//section[2]").contains("wallet <b>deactivate</b>"))
    }
    // Persons and programs are told apart by their picture.
    #expect(try browser.evaluate("String(document.querySelectorAll('[aria-label=person]').length)") == "2")
    #expect(try browser.evaluate("String(document.querySelectorAll('[aria-label=program]').length)") == "2")
    #expect(try browser.printedText().contains("GET /status: 200 (3 times)"))
    #expect(try browser.console() == "[]")
    try browser.quit()
  }

  @Test(arguments: [
    "{\"step\": 1, \"text\": \"x\"}", "{\"from\": \"a\", \"text\": \"x\"}", "[]", "x",
  ])
  func `a line of another form is named`(line: String) throws {
    let scratch = try Scratch()
    let (run, _) = try story(Self.journal + line + "\n", scratch)
    #expect(try run.finish() == .exited(2))
    #expect(run.errors.contains("journal, line 8: the members from, to and text, or step and text, are expected"))
  }

  @Test func `a message with a wrong time has no time`() throws {
    let scratch = try Scratch()
    let (run, page) = try story(#"{"at": "yesterday", "from": "a", "to": "b", "text": "x"}"# + "\n", scratch)
    #expect(try run.finish() == .exited(0), "\(run.errors)")
    let text = try String(contentsOfFile: page, encoding: .utf8)
    #expect(!text.contains("Times are") && !text.contains("<time>"))
    #expect(text.contains("<li><span></span>"))
  }

  @Test func `the result is the headline, with links to the refusals`() throws {
    let scratch = try Scratch()
    let journal = Self.journal + #"{"step": "refused", "text": "no payment", "refused": true}"# + "\n"
    let (run, page) = try story(journal, scratch)
    #expect(try run.finish() == .exited(0), "\(run.errors)")
    #expect(run.output.contains("refused: no payment (refused)"), "\(run.output)")
    let browser = try WebDriver(in: scratch)
    try browser.open("file://\(page)")
    #expect(try browser.text("//h1") == "2 steps, 1 refusal")
    #expect(try browser.count("//h1/span[@class=\"bad\"]") == 1)
    #expect(try browser.text("//main").contains("2026-01-31 09:05:00 UTC, 1.220 s. 6 messages between 4 parts."))
    #expect(try browser.text("//main").contains("Times are seconds since the first message."))
    #expect(try browser.text("//section[2][@class='refused']/h2").contains("refused"))
    let arrow = "section.refused li:not(.refused) .arrow"
    #expect(try browser.evaluate("getComputedStyle(document.querySelector('\(arrow)')).strokeDasharray") == "none")
    try browser.click("//main/ul//a[contains(., 'DeviceInactive')]")
    #expect(try browser.url().hasSuffix("#refusal1"))
    #expect(try browser.text("//li[@id='refusal1']").contains("DeviceInactive"))
    #expect(try browser.console() == "[]")
    try browser.quit()
  }

  @Test(arguments: [
    (#"{"step": "server", "text": "not as expected", "refused": true}"#, "1 step, 1 refusal"),
    (#"{"step": "server", "text": "listens"}"#, "1 step, no refusal"), ("", "1 message, no refusal"),
  ])
  func `the headline counts a refused step without a refused message`(line: String, headline: String) throws {
    let scratch = try Scratch()
    let (run, page) = try story(#"{"from": "a", "to": "b", "text": "x"}"# + "\n" + line + "\n", scratch)
    #expect(try run.finish() == .exited(0), "\(run.errors)")
    #expect(try String(contentsOfFile: page, encoding: .utf8).contains("<title>\(headline) - tap-wallet story</title>"))
  }

  @Test func `long names and many parts fit on the screen, and a message of a part to itself is a loop`() throws {
    let scratch = try Scratch()
    let messages = (1...12).map { number in
      #"{"from": "participant-\#(number)", "to": "participant-\#(number % 12 + 1)", "text": "x"}"# + "\n"
    }
    let name = String(repeating: "n", count: 200)
    let ends =
      #"{"from": "participant-12", "to": "participant-12", "text": "itself"}"# + "\n"
      + #"{"step": "\#(name)", "text": "\#(name)"}"# + "\n"
    let (run, page) = try story(messages.joined() + ends, scratch)
    #expect(try run.finish() == .exited(0), "\(run.errors)")
    let browser = try WebDriver(in: scratch)
    for width in [1_400, 420] {
      try browser.emulate(width: width, height: 900, isDark: false)
      try browser.open("file://\(page)")
      #expect(try browser.evaluate("String(document.documentElement.scrollWidth)") == "\(width)")
      let heads = "[...document.querySelectorAll('.heads>div')]"
      #expect(try browser.evaluate("String(\(heads).length)") == "12")
      #expect(try browser.evaluate("String(\(heads).every(e => e.scrollWidth <= e.clientWidth))") == "true")
    }
    #expect(try browser.evaluate("String(document.querySelectorAll('.loop').length)") == "1")
    try browser.quit()
  }

  @Test func `repeated pairs of messages are folded`() throws {
    let scratch = try Scratch()
    let pair = (0..<6).flatMap { index in
      ["A", "B"].map { name in
        let at = "2026-01-31T09:05:0\(index).\(name == "A" ? "000" : "500")Z"
        return #"{"at": "\#(at)", "from": "a", "to": "b", "text": "\#(name)"}"# + "\n"
      }
    }
    let (run, page) = try story(pair.joined(), scratch)
    #expect(try run.finish() == .exited(0), "\(run.errors)")
    #expect(run.output.contains("A (6 times)") && run.output.contains("B (6 times)"), "\(run.output)")
    #expect(run.output.split(separator: "\n").count == 3)
    let text = try String(contentsOfFile: page, encoding: .utf8)
    #expect(text.contains("<span>+0.000 to +5.000</span>") && text.contains("<span>+0.500 to +5.500</span>"))
  }

  @Test(arguments: ["", "\n", #"{"step": "server", "text": "listens"}"#])
  func `a journal without a message is refused`(journal: String) throws {
    let scratch = try Scratch()
    let (run, page) = try story(journal, scratch)
    #expect(try run.finish() == .exited(2))
    #expect(run.errors.contains("the journal has no message"), "\(run.errors)")
    #expect(!FileManager.default.fileExists(atPath: page))
  }

  @Test(arguments: ["plain", "a \"quoted\" \\ name", "two\nlines\tand a tab", "東京"])
  func `the journal of the demonstration quotes a text as JSON`(text: String) throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../tools/json.sh").path
    let run = try ProgramRun("bash", ["-c", ". \(script); quoted \"$1\"", "bash", text])
    #expect(try run.finish() == .exited(0), "\(run.errors)")
    #expect(try JSONValue(parsing: Array(run.output.utf8)).text == text)
  }
}
