import Fixtures
import Foundation
import TestSupport
import Testing

/// The pages of `--report`, read in a real browser.
@Suite("Reports in a browser", .blocks, .timeLimit(.minutes(20)))
struct ReportTests {
  let scratch: Scratch
  let file: String

  init() throws {
    scratch = try Scratch()
    file = scratch.path("report.html")
  }

  /// Opens a page as on a phone, light and dark, and expects that it is whole: its style is in force, the console is empty,
  /// and nothing is wider than the screen.
  private func open(_ path: String) throws -> WebDriver {
    let browser = try WebDriver(in: scratch)
    var colours: Set<String> = []
    for isDark in [false, true] {
      try browser.emulate(width: 390, isDark: isDark)
      try browser.open("file://\(path)")
      #expect(try browser.evaluate("getComputedStyle(document.querySelector('main')).maxWidth") == "960px")
      #expect(try browser.evaluate("String(document.documentElement.scrollWidth)") == "390")
      colours.insert(try browser.evaluate("getComputedStyle(document.body).backgroundColor"))
    }
    #expect(colours.count == 2)
    #expect(try browser.console() == "[]")
    #expect(try browser.count("//script") == 0)
    return browser
  }

  @Test func `a report of tap bench has percentiles, histograms, the budget and each exchange in words`() throws {
    let run = try TapProgram.run("bench", "--link", "loopback", "--taps", "20", "--report", file)
    #expect(run.code == 0, "\(run.errors)")
    let browser = try open(file)
    #expect(try browser.text("//h1") == "Latency of 20 taps")
    #expect(try browser.text("//table").contains("whole tap"))
    #expect(try browser.count("//figure[@class=\"histogram\"]") == 5)
    #expect(try browser.count("//figure[@class=\"timeline\"]") == 2)
    #expect(try browser.text("//figure[@class='budget']").contains("within the budget"))
    #expect(try browser.text("//figure[@class='timeline']/figcaption").contains("link "))
    #expect(try browser.text("//details[1]/pre") == "")
    try browser.click("//details[1]/summary")
    #expect(try browser.text("//details[1]/pre").contains("2PAY.SYS.DDF01"))
    try browser.quit()
  }

  @Test func `the shipped report opens`() throws {
    let browser = try open(Fixtures.url("Reports/bench.html").path)
    #expect(try browser.text("//h1") == "Latency of 1000 taps")
    #expect(try browser.count("//details[@class=\"exchange\"]") == 10)
    try browser.quit()
  }

  @Test func `the shipped report of the terminal tests has the verdicts by folder, the link and the version`() throws {
    let browser = try open(Fixtures.url("Reports/terminal-tests.html").path)
    #expect(try browser.text("//h1") == "Tap tests")
    #expect(try browser.text("(//table)[1]").contains("loopback"))
    let folders = try browser.text("(//table)[2]")
    for folder in ["Directory", "Kernel3", "Torn"] { #expect(folders.contains(folder), "\(folders)") }
    #expect(try browser.count("//section[@class=\"scenario\"]") == 179)
    #expect(try browser.text("(//table)[1]").contains("application A0000000031010"))
    #expect(try browser.text("(//section)[1]").contains("card profile: ../../Cards/"))
    try browser.quit()
  }

  @Test func `the shipped report of the card tests has the verdicts by folder and each card`() throws {
    let browser = try open(Fixtures.url("Reports/card-tests.html").path)
    #expect(try browser.text("(//table)[1]").contains("loopback, with the card that each scenario names"))
    let folders = try browser.text("(//table)[2]")
    for folder in ["Counters", "Malformed", "Kernel2"] { #expect(folders.contains(folder), "\(folders)") }
    #expect(try browser.count("//section[@class=\"scenario\"]") == 211)
    #expect(try browser.text("(//section)[1]").contains("reader: loopback:"))
    try browser.quit()
  }

  @Test func `a report of tap test has each failed tap with its differences, and says what it leaves out`() throws {
    let text = try String(contentsOf: Fixtures.url("Scenarios/visa-low-value.yaml"), encoding: .utf8)
    let folder = Fixtures.url("Scenarios").deletingLastPathComponent().path
    let wrong = try scratch.write(
      "wrong.yaml",
      text.replacingOccurrences(of: "outcome: approved", with: "outcome: declined")
        .replacingOccurrences(of: "../", with: folder + "/"))
    let run = try TapProgram.run("test", wrong, "--reader", "loopback", "--repeat", "30", "--report", file)
    #expect(run.code == 2, "\(run.errors)\(run.output)")
    let browser = try open(file)
    let page = try browser.text("//main")
    #expect(page.contains("0 passed, 30 failed, 0 errors"), "\(page)")
    #expect(page.contains("20 of 30 taps are shown") && page.contains("10 further taps are not shown"), "\(page)")
    #expect(try browser.count("//details[@class=\"tap\"]") == 20)
    try browser.click("//details[@class='tap'][2]/summary")
    #expect(try browser.text("//details[@class='tap'][2]/ul").contains("declined"))
    try browser.quit()
  }

  @Test func `a page for a run of thousands of taps has a bounded size`() throws {
    let scenario = Fixtures.url("Scenarios/visa-low-value.yaml").path
    var sizes: [Int] = []
    for count in ["2", "1000"] {
      let run = try TapProgram.run(
        "test", scenario, "--reader", "loopback", "--repeat", count, "--report", file, "--force")
      #expect(run.code == 0, "\(run.errors)")
      sizes.append(try Data(contentsOf: URL(filePath: file)).count)
    }
    #expect(sizes[1] - sizes[0] < 2_000, "\(sizes)")
  }

  @Test func `a report of tap accept masks what a recording masks`() throws {
    let cards = try DisclosureTests()
    let run = try cards.accept("--report", file)
    let page = try String(contentsOfFile: file, encoding: .utf8)
    #expect(page.contains("SELECT PPSE"), "\(run.errors)")
    for secret in [DisclosureTests.number, DisclosureTests.name, "TEST/CARD"] { #expect(!page.contains(secret)) }

    let refused = try cards.accept("--report", file, "--unredacted")
    #expect(refused.code == 1 && refused.errors.contains("--force"), "\(refused.errors)")
    #expect(try String(contentsOfFile: file, encoding: .utf8) == page)
    _ = try cards.accept("--report", file, "--unredacted", "--force")
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains(DisclosureTests.number))
    try open(file).quit()
  }
}
