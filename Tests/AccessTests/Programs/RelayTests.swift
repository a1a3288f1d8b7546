import AccessMessages
@testable import AccessServer
import Fixtures
import Foundation
import HTTPSTransport
import JSON
import ServerShell
import TestSupport
import Testing

/// A device with a wallet and authenticators at two issuers. The second one forwards everything that it gets to the first one.
@Suite("A relaying issuer", .blocks, .timeLimit(.minutes(20)))
struct RelayTests {
  /// What is set up before the relay.
  private let honest: WalletPrograms

  init() throws { honest = try PaymentStoryTests.programs() }

  private static let secrets = [
    "pin": ["7413"], "answer:pet": ["Rex", "Rex"], "answer:town": ["Bern", "Bern"], "password": ["Abcdefgh1"],
    "oldPin": ["7413"], "newPin": ["8524", "8524"], "challenge": ["prompt"], "confirm": ["yes"],
  ]
  private static let enteredPINs = ["pin": ["246813", "246813"], "oldPin": ["246813"], "newPin": ["975318"]]

  /// What the device does at the second issuer, in this order.
  private static let commands = [
    "questions", "status", "cards add", "cards list", "replenish --force", "history", "pay --link loopback",
    "timeout 200", "profile show", "profile set --phone +41441234599", "biometric on", "logout", "login --biometric",
    "logout", "login --pin", "change-pin", "lost list", "biometric off", "logout",
    "login --password --account \(WalletPrograms.user)", "logout", "forgot pin --account \(WalletPrograms.user)",
    "register --account bob --authenticator pin --name Phone", "authenticate --account bob",
    "lost authenticators list --account bob", "pin change --account bob", "device name Other", "device push address",
    "pending", "unlink",
    "deregister --account bob",
  ]

  /// What its operator does.
  private static let operations = [
    "user add carol", "device list", "wallet list", "card list",
    "dispatch authentication --account bob --channel link", "dispatch registration --account dora --channel link",
  ]

  /// Routes that everybody may use, with what is right at no server in particular.
  private static let open: Set = [
    "POST /nevisfido/uaf/1.1/request/registration", "POST /nevisfido/uaf/1.1/request/authentication",
    "GET /nevisfido/uaf/1.1/facets", "POST /nevisfido/status", "GET /app-versions/linux", "GET /",
    "GET /operator/login",
  ]

  @Test(arguments: RelayingIssuer.Answer.allCases)
  func `nothing that a device sends to one issuer succeeds at another one`(_ answer: RelayingIssuer.Answer) async throws
  {
    try useHonest()
    let before = try content()
    let relayed = try await relay(answer)
    for forwarded in relayed where forwarded.isDone && !Self.open.contains(forwarded.operation) {
      Issue.record("\(forwarded.operation): \(String(decoding: forwarded.response.body, as: UTF8.self).prefix(300))")
    }
    let missing = Set(AccessService.routes.map(\.name)).subtracting(relayed.map(\.operation))
    #expect(missing.isEmpty, "\(missing.sorted())")
    for (table, rows) in try content() { #expect(rows == before[table], "\(table)") }
    // The device is still linked, and no guess was counted: the PIN is right at once.
    #expect(try run(honest.url, "logout").code == 0)
    #expect(try run(honest.url, "login --pin").code == 0)
    #expect(try run(honest.url, "pay --link loopback").code == 0)
    #expect(try run(honest.url, "authenticate --account alice", Self.enteredPINs).code == 0)
  }

  /// Enrols at the honest issuer: a wallet with a card, and an authenticator.
  private func useHonest() throws {
    let profile = try honest.scratch.write("profile.json", WalletPrograms.profile(WalletPrograms.user))
    for command in ["enrol --profile \(profile) --ca \(honest.authority)", "cards add"] {
      let done = try run(honest.url, command)
      try #require(done.code == 0, "\(command): \(done.text)")
    }
    let registered = try run(
      honest.url, "register --account alice --authenticator pin --name Phone", Self.enteredPINs)
    try #require(registered.code == 0, "\(registered.text)")
  }

  private func run(
    _ url: String, _ command: String, _ answers: [String: [String]] = secrets
  ) throws -> WalletOutput {
    try honest.runElsewhere(
      command.split(separator: " ").map(String.init) + ["--state", honest.state, "--server", url], answers)
  }

  /// Uses the second issuer, and returns all requests that it forwarded.
  private func relay(_ answer: RelayingIssuer.Answer) async throws -> [RelayingIssuer.Forwarded] {
    let exchange = try HTTPSTransport(trust: .authorities(file: honest.authority))
    let template = try CardTemplate(
      json: [UInt8](Fixtures.data("Cards/visa-cvn18.json")), prefix: IssuerConfiguration().accountPrefix)
    let issuer = RelayingIssuer(to: honest.url, by: exchange, answer: answer)
    return try await RunningServer.run(cards: [template], responding: issuer.standing(before:)) { server in
      try use(server, mustSucceed: answer == .own)
      try operate(server, mustSucceed: answer == .own)
      await ForeignCredentials(issuer.forwarded, try identifiers()).use(at: issuer)
      return issuer.forwarded
    }
  }

  private func use(_ server: RunningServer, mustSucceed: Bool) throws {
    let profile = try honest.scratch.write("profile.json", WalletPrograms.profile(WalletPrograms.user))
    for command in ["enrol --profile \(profile) --ca \(server.files.authority)"] + Self.commands {
      let isOfAccount = command.hasSuffix("--account bob") || command.contains("--account bob ")
      let done = try run(server.url, command, isOfAccount ? Self.enteredPINs : Self.secrets)
      if mustSucceed { #expect(done.code == 0, "\(command): \(done.text)") }
    }
  }

  private func operate(_ server: RunningServer, mustSucceed: Bool) throws {
    let token = try honest.scratch.write("relay.token", RunningServer.operatorToken)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: token)
    for operation in Self.operations {
      let run = try ProgramRun(
        AccessPrograms.path("tap-server"),
        operation.split(separator: " ").map(String.init)
          + ["--server", server.url, "--ca", server.files.authority, "--operator", token])
      let ending = try run.finish()
      if mustSucceed { #expect(ending == .exited(0), "\(operation): \(run.errors)") }
    }
  }

  /// The identifiers of the honest issuer that a stranger may know.
  private func identifiers() throws -> [String] {
    let rows = try query(
      "SELECT deviceID FROM walletDevice UNION SELECT externalID FROM device UNION SELECT id FROM device UNION SELECT deviceID "
        + "FROM device UNION SELECT id FROM card UNION SELECT externalID FROM credential")
    return rows.split(separator: "\n").map(String.init)
  }

  /// What the honest issuer keeps of its users, by table, without what everybody can add to: challenges, counts of an address,
  /// declined payments, the audit trail. `device name` and `device push` are for all servers of the device.
  private func content() throws -> [String: String] {
    var statements = [
      "device": "id, externalID, deviceID, account, signatureKey, encryptionKey, state FROM device",
      "cardPayment": "* FROM cardPayment WHERE responseCode = '00'",
      "failure": "* FROM failure WHERE subject LIKE '%OfDevice:%' OR subject LIKE '%Total:%'",
    ]
    for table in [
      "user", "credential", "wallet", "walletAnswer", "walletDevice", "walletSession", "walletToken", "card",
      "keyDelivery", "cardScript", "registrationToken", "authorization", "operatorSession", "outOfBandToken",
      "deactivation", "movedDevice",
    ] { statements[table] = "* FROM \"\(table)\"" }
    return try statements.mapValues { try query("SELECT \($0) ORDER BY 1, 2") }
  }

  private func query(_ text: String) throws -> String {
    let script = """
      import sqlite3, sys
      for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print("|".join(str(value) for value in row))
      """
    let run = try ProgramRun("/usr/bin/python3", ["-c", script, honest.scratch.path("server.sqlite"), text])
    try #require(try run.finish() == .exited(0), "\(run.errors)")
    return run.output
  }
}

/// Everything that an issuer got from the device, the users and the operator of its own, tried at another issuer: at each route
/// with each identifier that a stranger may know.
private struct ForeignCredentials {
  private let forwarded: [RelayingIssuer.Forwarded]
  private let identifiers: [String]

  init(_ forwarded: [RelayingIssuer.Forwarded], _ identifiers: [String]) {
    (self.forwarded, self.identifiers) = (forwarded, identifiers)
  }

  /// The headers of the requests that name a caller, each with different names once: the newest.
  private var credentials: [[(name: String, value: String)]] {
    let names: Set = ["authorization", "cookie", "device-signature"]
    var newest: [[String]: [(name: String, value: String)]] = [[]: []]
    for request in forwarded.map(\.request) {
      let headers = request.headers.filter { names.contains($0.name) }
      newest[headers.map(\.name).sorted() + [String(request.target.split(separator: "/").first ?? "")]] = headers
    }
    return Array(newest.values)
  }

  func use(at issuer: RelayingIssuer) async {
    let credentials = credentials
    for route in AccessService.routes {
      let bodies = forwarded.filter { $0.operation == route.name }.suffix(2).map { $0.request.body ?? [] }
      for target in targets(of: route) {
        for headers in credentials {
          for body in bodies.isEmpty ? [self.body(of: route)] : bodies {
            await issuer.forward(
              AccessRequest(
                route.method, target, headers: headers + type(of: route), body: body, address: "192.0.2.66"))
          }
        }
      }
    }
  }

  private func targets(of route: Route<AccessService>) -> [String] {
    let name = route.name.split(separator: " ").last.map(String.init) ?? ""
    guard name.contains("*") else { return [name, name + "?username=alice"] }
    return identifiers.map { name.replacing("*", with: $0) }
  }

  private func type(of route: Route<AccessService>) -> [(name: String, value: String)] {
    switch route.body {
    case .none: []
    case .json(let type): [(name: "content-type", value: type)]
    case .jose: [(name: "content-type", value: MediaType.jose)]
    case .form: [(name: "content-type", value: MediaType.form)]
    }
  }

  private func body(of route: Route<AccessService>) -> [UInt8] {
    switch route.body {
    case .none: []
    case .form: Array("formToken=x&deviceID=\(identifiers.first ?? "")".utf8)
    default: Array("{}".utf8)
    }
  }
}
