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

  /// Opens a page in all sizes, light and dark.
  private func open(_ path: String) throws -> PageExercise {
    let page = try PageExercise(path, in: scratch)
    try page.showEverywhere()
    return page
  }

  /// Writes scenarios of the shipped one, in three folders. One of them expects something else.
  private func writeScenarios(_ count: Int, failing: Int? = nil) throws -> String {
    let text = try String(contentsOf: Fixtures.url("Scenarios/visa-low-value.yaml"), encoding: .utf8)
    let folder = Fixtures.url("Scenarios").deletingLastPathComponent().path
    let directory = scratch.directory.appending(path: "run")
    for number in 1...count {
      let place = directory.appending(path: ["amounts", "cards", "counters"][number % 3])
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      var scenario = text.replacing(/name:.*/, with: "name: case \(number) of the run").replacing(
        "../", with: folder + "/")
      if number == failing { scenario = scenario.replacing("outcome: approved", with: "outcome: declined") }
      try scenario.write(
        to: place.appending(path: "case\(1_000 + number).yaml"), atomically: true, encoding: .utf8)
    }
    return directory.path
  }

  @Test func `a report of tap bench has percentiles, marked histograms, the budget and each exchange in words`() throws
  {
    let run = try TapProgram.run("bench", "--link", "loopback", "--taps", "20", "--report", file)
    #expect(run.code == 0, "\(run.errors)")
    let page = try open(file)
    let browser = page.browser
    #expect(try browser.text("//h1").hasPrefix("whole tap: half within "))
    #expect(try page.text(".facts").contains("host ") && page.text(".command").hasPrefix("tap bench --link loopback"))
    #expect(try page.text(".figures").contains("whole tap"))
    #expect(try browser.count("//figure[@class=\"histogram\"]") == 5)
    // p50 and p90, and ticks with values; 20 taps carry no p99.
    #expect(try browser.count("(//figure[@class=\"histogram\"])[1]//*[@class=\"quantile\"]") == 2)
    #expect(try browser.count("(//figure[@class=\"histogram\"])[1]//*[@class=\"tick\"]") >= 2)
    #expect(try browser.count("//figure[@class=\"timeline\"]") == 2)
    #expect(try browser.text("//*[starts-with(@class, 'budget')]").contains("within the budget"))
    #expect(try browser.text("//figure[@class='timeline']/figcaption").contains("link "))
    #expect(try browser.text("//details[1]/pre") == "")
    try browser.click("//details[1]/summary")
    #expect(try browser.text("//details[1]/pre").contains("2PAY.SYS.DDF01"))
    #expect(try browser.printedText().contains("2PAY.SYS.DDF01"))
    try browser.quit()
  }

  @Test func `the shipped report opens`() throws {
    let browser = try open(Fixtures.url("Reports/bench.html").path).browser
    #expect(try browser.text("//h1").hasPrefix("whole tap: half within "))
    #expect(try browser.count("//details[@class=\"exchange\"]") == 10)
    try browser.quit()
  }

  @Test func `the shipped report of the terminal tests has the verdicts by folder, the link and the version`() throws {
    let page = try open(Fixtures.url("Reports/terminal-tests.html").path)
    #expect(try page.text("h1") == "179 scenarios passed")
    #expect(try page.text("main > section:last-of-type dl").contains("loopback"))
    let folders = try page.text("#scenarios")
    for folder in ["Directory", "Kernel3", "Torn"] { #expect(folders.contains(folder), "\(folder)") }
    #expect(try page.browser.count("//ul[@class=\"rows\"]/li") == 179)
    #expect(try page.text("main > section:last-of-type dl").contains("application A0000000031010"))
    try page.browser.click("//ul[@class='rows']/li[1]//summary")
    #expect(try page.text(".rows li").contains("card profile"))
    try page.browser.quit()
  }

  @Test func `the shipped report of the card tests has the verdicts by folder and each card`() throws {
    let page = try open(Fixtures.url("Reports/card-tests.html").path)
    #expect(
      try page.text("main > section:last-of-type dl").contains("loopback, with the card that each scenario names"))
    let folders = try page.text("#scenarios")
    for folder in ["Counters", "Malformed", "Kernel2"] { #expect(folders.contains(folder), "\(folder)") }
    #expect(try page.browser.count("//ul[@class=\"rows\"]/li") == 211)
    try page.browser.click("//ul[@class='rows']/li[1]//summary")
    #expect(try page.text(".rows li").contains("loopback:"))
    try page.browser.quit()
  }

  @Test func `the one failure of 200 scenarios is seen without scrolling, and paper has every row`() throws {
    let run = try TapProgram.run(
      "test", writeScenarios(200, failing: 137), "--reader", "loopback", "--report", file)
    #expect(run.code == 2, "\(run.errors)")
    let page = try open(file)
    for size in PageExercise.sizes {
      try page.show(width: size.width, height: size.height)
      #expect(try page.text("h1") == "1 of 200 scenarios failed")
      #expect(try page.text(".failure h3").contains("case 137 of the run"))
      #expect(try page.text(".failure .expected") == "declined" && page.text(".failure .found") == "approved")
      #expect(try page.text(".failure pre").contains("READ RECORD"))
      for part in ["h3", ".expected", ".found", "pre"] {
        let bottom = try page.bottom(of: ".failure \(part)")
        #expect(bottom > 0 && bottom <= Double(size.height), "\(part) at \(size)")
      }
    }
    let printed = try WebDriver.printedText(ofFile: file, in: scratch)
    for number in 1...200 { #expect(printed.contains("case \(number) of the run"), "\(number)") }
    #expect(printed.contains("declined") && printed.contains("host "))
    try page.browser.quit()
  }

  @Test func `200 scenarios that passed are at most six screens`() throws {
    let run = try TapProgram.run("test", writeScenarios(200), "--reader", "loopback", "--report", file)
    #expect(run.code == 0, "\(run.errors)")
    let page = try open(file)
    try page.show(width: 1_400, height: 900)
    #expect(try page.text("h1") == "200 scenarios passed")
    #expect(try page.browser.count("//article") == 0)
    let height = try #require(Double(page.browser.evaluate("String(document.documentElement.scrollHeight)")))
    #expect(height <= 6 * 900)
    #expect(try page.browser.evaluate("getComputedStyle(document.querySelector('.rows .name')).fontSize") == "13px")
    try page.browser.quit()
  }

  @Test func `a row leads to its scenario, and the choice and the search leave out rows on the screen only`() throws {
    let run = try TapProgram.run(
      "test", writeScenarios(6, failing: 5), "--reader", "loopback", "--report", file)
    #expect(run.code == 2, "\(run.errors)")
    let page = try PageExercise(file, in: scratch)
    try page.show(width: 1_400, height: 900)
    let rows = """
      String([...document.querySelectorAll('.rows > li')].filter(row => row.checkVisibility()).length)
      """
    #expect(try page.browser.evaluate(rows) == "6")
    try page.browser.click("//input[@id='failed']")
    #expect(try page.browser.evaluate(rows) == "1")
    try page.browser.click("//a[@class='row']")
    let target = try page.browser.evaluate("document.querySelector(':target').closest('article').innerText")
    #expect(target.contains("case 5 of the run"))
    try page.browser.click("//input[@id='warned']")
    #expect(try page.browser.evaluate(rows) == "0")
    try page.browser.click("//input[@id='all']")
    try page.browser.type("Case 3 of", into: "//input[@id='search']")
    #expect(try page.browser.evaluate(rows) == "1")
    #expect(try page.browser.printedText().contains("case 6 of the run"))
    try page.browser.quit()
  }

  @Test func `many failures leave the list near, and the search finds them by path and by expected value`() throws {
    let folder = try writeScenarios(12)
    for number in 1...9 {
      let file = "\(folder)/\(["amounts", "cards", "counters"][number % 3])/case\(1_000 + number).yaml"
      let text = try String(contentsOfFile: file, encoding: .utf8)
      try text.replacing("outcome: approved", with: "outcome: declined").write(
        toFile: file, atomically: true, encoding: .utf8)
    }
    let run = try TapProgram.run("test", folder, "--reader", "loopback", "--report", file)
    #expect(run.code == 2, "\(run.errors)")
    let page = try open(file)
    try page.show(width: 1_400, height: 900)
    #expect(try page.bottom(of: ".filter") < 300)
    #expect(try page.browser.evaluate("String(document.querySelectorAll('.failure > details[open]').length)") == "5")
    #expect(try page.text(".failure > details:not([open]) .difference").contains("expected declined, got approved"))
    let shown = """
      String([...document.querySelectorAll('.rows > li, .failure')].filter(part => part.checkVisibility()).length)
      """
    #expect(try page.browser.evaluate(shown) == "21")
    for (text, count) in [
      ("case1003.yaml", "2"), ("expected declined", "18"), ("case 2 of", "2"), ("no such text", "0"),
    ] {
      _ = try page.browser.evaluate("document.getElementById('search').value = ''")
      try page.browser.type(text, into: "//input[@id='search']")
      #expect(try page.browser.evaluate(shown) == count, "\(text)")
    }
    #expect(try page.text(".none") == "No scenario matches. Choose All, or clear the search.")
    #expect(try page.text("#count") == "0 of 12 shown")
    try page.browser.quit()
  }

  @Test func `a benchmark with a count that has grown is red, and names it`() throws {
    let saved = scratch.path("saved.json")
    #expect(try TapProgram.run("bench", "--link", "loopback", "--taps", "20", "--save", saved).code == 0)
    let text = try String(contentsOfFile: saved, encoding: .utf8)
    let lower = try scratch.write("lower.json", text.replacing(/"value"\s*:\s*5\b/, with: "\"value\": 4"))
    let run = try TapProgram.run("bench", "--link", "loopback", "--taps", "20", "--compare", lower, "--report", file)
    #expect(run.code == 2, "\(run.errors)")
    let page = try String(contentsOfFile: file, encoding: .utf8)
    #expect(page.contains("<header class=\"result failed\"><h1>A count of each tap has grown: commands 4 to 5</h1>"))
    #expect(page.contains("<li>each tap: commands 4 -&gt; 5, a regression</li>"), "\(page)")
  }

  @Test func `a payment that could not begin replaces the page of an earlier one`() throws {
    let card = Fixtures.url("Cards/visa-cvn18.json").path
    #expect(try TapProgram.accept("loopback:\(card)", amount: "1", currency: "978", ["--report", file]).code == 0)
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains("Approved: 1.00"))
    let run = try TapProgram.accept(
      "replay:\(scratch.path("missing.txt"))", amount: "1", currency: "978", ["--report", file, "--force"])
    #expect(run.code == 1, "\(run.errors)")
    let page = try String(contentsOfFile: file, encoding: .utf8)
    #expect(page.contains("<h1>No payment was made</h1>") && !page.contains("Approved"))
  }

  @Test func `a page has no secret of its command line`() throws {
    let secret = "open-sesame"
    let run = try TapProgram.run(
      "test", writeScenarios(1), "--link", "replay:\(scratch.path("none"))", "--observe", "curl -H \(secret)",
      "--report", file)
    #expect(run.code != 0)
    _ = try TapProgram.accept(
      "loopback:\(Fixtures.url("Cards/visa-cvn18.json").path)", amount: "1", currency: "978",
      ["--issuer", "https://user:\(secret)@127.0.0.1:1", "--report", file, "--force"])
    let page = try String(contentsOfFile: file, encoding: .utf8)
    #expect(page.contains("https://…@127.0.0.1:1") && !page.contains(secret))
  }

  @Test func `a page names the commit of the repository of its scenarios, and runs nothing that it configures`() throws
  {
    let folder = try writeScenarios(1)
    func page() throws -> String {
      let run = try TapProgram.run("test", folder, "--reader", "loopback", "--report", file, "--force")
      #expect(run.code == 0, "\(run.errors)")
      return try String(contentsOfFile: file, encoding: .utf8)
    }
    #expect(try !page().contains("commit "))
    let git = """
      cd "$0" && git init -q && git add . && git -c user.name=x -c user.email=x@example.org commit -qm x &&
      git rev-parse --short=12 HEAD
      """
    let made = try ProgramRun("sh", ["-c", git, folder])
    #expect(try made.finish() == .exited(0), "\(made.errors)")
    let commit = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(try page().contains("commit \(commit)</p>"))
    // What `git status` would start for a changed file.
    let hostile = """
      cd "$0" && git config core.fsmonitor "touch $0/started; false" && git config filter.x.clean "touch $0/started" &&
      echo '* filter=x' > .gitattributes && echo '# changed' >> cards/case1001.yaml
      """
    #expect(try ProgramRun("sh", ["-c", hostile, folder]).finish() == .exited(0))
    #expect(try page().contains("commit \(commit)</p>"))
    #expect(!FileManager.default.fileExists(atPath: "\(folder)/started"))
  }

  @Test func `a report of tap test has each failed tap with its differences, and says what it leaves out`() throws {
    let wrong = try writeScenarios(1, failing: 1)
    let run = try TapProgram.run("test", wrong, "--reader", "loopback", "--repeat", "30", "--report", file)
    #expect(run.code == 2, "\(run.errors)\(run.output)")
    let browser = try open(file).browser
    let page = try browser.text("//main")
    #expect(page.contains("1 of 1 scenario failed"), "\(page)")
    #expect(page.contains("20 of 30 taps are shown") && page.contains("10 further taps are not shown"), "\(page)")
    #expect(try browser.count("//*[@class=\"tap\"]") == 20)
    try browser.click("//details[@class='tap'][2]/summary")
    #expect(try browser.text("//details[@class='tap'][2]//td[@class='expected']") == "declined")
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
    let written = try open(file)
    #expect(try written.text("h1").hasPrefix("Approved: 12.34 "))
    try written.browser.quit()
  }
}
