import Fixtures
import Glibc
import JSON
import TestSupport
import Testing

/// A payment that waits for a terminal, and the end of the login that it needs.
@Suite("A waiting payment and the end of its login", .blocks, .timeLimit(.minutes(20)))
struct LoginEndTests {
  /// Starts a payment and waits until its card is armed.
  private func waitingPayment(_ programs: WalletPrograms, at link: SimulatedVPCD) throws -> ProgramRun {
    let pay = try programs.start("pay", "--link", "vpcd:127.0.0.1:\(link.port)", "--timeout", "3600")
    let isWaiting = pay.wait(timeout: .seconds(120)) { $0.errors.contains("Waiting for a terminal") }
    try #require(isWaiting, "\(pay.output)\(pay.errors)")
    return pay
  }

  @Test func `a logout in another process ends it with NotLoggedIn`() throws {
    let (programs, link) = (try PaymentStoryTests.programs(), SimulatedVPCD())
    _ = try PaymentStoryTests.addCard(programs)
    let pay = try waitingPayment(programs, at: link)
    #expect(try programs.run("logout").code == 0)
    let ended = try WalletOutput(pay)
    #expect((ended.code, ended.errorCode) == (2, "NotLoggedIn"), "\(ended.text)")
    #expect(try programs.logIn(password: "Abcdefgh1").code == 0)
    // The use was given back.
    #expect(try programs.run("cards", "list").events.first?["paymentsLeft"]?.integer == 4)
  }

  @Test func `the time-out of inactivity ends it with sessionExpired`() throws {
    let (programs, link) = (try PaymentStoryTests.programs(), SimulatedVPCD())
    _ = try PaymentStoryTests.addCard(programs)
    let pay = try waitingPayment(programs, at: link)
    try programs.advance(seconds: 601)
    let ended = try WalletOutput(pay)
    #expect((ended.code, ended.errorCode) == (2, "sessionExpired"), "\(ended.text)")
  }

  @Test func `a logout ends a payment inside of the open wallet`() throws {
    let (programs, link) = (try PaymentStoryTests.programs(), SimulatedVPCD())
    _ = try PaymentStoryTests.addCard(programs)
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    // Above the numbers that a child gets.
    let input = fcntl(ends[0], F_DUPFD_CLOEXEC, 10)
    let lines = fcntl(ends[1], F_DUPFD_CLOEXEC, 10)
    for end in ends { close(end) }
    defer { for end in [input, lines] { close(end) } }
    let open = try programs.startOpen(terminal: input)
    let line = "pay --link vpcd:127.0.0.1:\(link.port)\n"
    #expect(write(lines, line, line.utf8.count) == line.utf8.count)
    #expect(open.wait(timeout: .seconds(120)) { $0.errors.contains("Waiting for a terminal") }, "\(open.output)")
    #expect(try programs.run("logout").code == 0)
    #expect(open.wait(timeout: .seconds(60)) { $0.output.contains(#""code": "NotLoggedIn""#) }, "\(open.output)")
    #expect(write(lines, "quit\n", 5) == 5)
    #expect(try WalletOutput(open).ends.contains("NotLoggedIn"))
  }

  @Test func `a payment that needs no login goes on after it`() throws {
    let card = String(decoding: try Fixtures.data("Cards/visa-cvn18.json"), as: UTF8.self)
    let programs = try WalletPrograms(#"{"cards": [\#(card)], "uses": 4, "tapWithoutLogin": true}"#)
    let link = SimulatedVPCD()
    _ = try PaymentStoryTests.addCard(programs)
    let pay = try waitingPayment(programs, at: link)
    #expect(try programs.run("logout").code == 0)
    // A later command of the same folder, which takes longer than the watch of a login.
    #expect(try programs.run("status").last["loggedIn"]?.flag == false)
    #expect(pay.poll() == nil, "\(pay.output)\(pay.errors)")
    pay.signal(SIGINT)
    #expect(try WalletOutput(pay).code == 130)
  }
}
