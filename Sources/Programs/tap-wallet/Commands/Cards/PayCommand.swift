import AccessMessages
import ArgumentParser
import CardProvisioning
import ContactlessPayment
import DeviceAuthentication
import HTTPSTransport
import JSON
import MobileAuthentication
import ProgramSupport
import ReaderKinds
import Synchronization
import WalletAccess

/// Pays: verification of the holder, arming and tap in one.
struct PayCommand: WalletCommand {
  static let configuration = CommandConfiguration(
    commandName: "pay", abstract: "Verify the holder of the device, arm a card and answer a terminal.",
    help: CommandHelp(
      """
      With loopback the terminal is in this process, and the issuer of the wallet authorises its payment.
      """,
      examples: [
        "tap-wallet pay --state mobile --link loopback --amount 12.34 --currency EUR":
          "Pay at a terminal in this process.",
        "tap-wallet pay --state mobile --link vpcd:localhost:35963": "Pay at a virtual reader.",
      ],
      exits: [
        .done: "completed, with loopback approved",
        .notRight: "not approved, refused or torn, or the login that the payment needs has ended",
        .notReached: "the link or the issuer was not reached, or no terminal came in time",
        .error: "any other error",
      ],
      related: ["tap-accept"]))

  @OptionGroup var state: StateOptions
  @Option(
    help: "Where the card is presented: loopback, nfc:CONNSTRING (a PN532 under libnfc) or vpcd:HOST:PORT.",
    completion: .list(PayLink.forms))
  var link: String
  @Option(
    parsing: .unconditional, help: ArgumentHelp("The card that pays; the default card when left out.", valueName: "id"))
  var card: String?
  @Option(
    help: ArgumentHelp(
      """
      How long to wait for a terminal and the end of the payment, in seconds: 1 to 3600. Left out: 60, and 3600 inside \
      tap-wallet open.
      """, valueName: "seconds"))
  var timeout: Int?
  @Option(
    help: ArgumentHelp(
      "How long a verification of the holder is valid, in seconds: 1 to 60; the holder is then verified again.",
      valueName: "seconds"))
  var validity = 60
  @Option(help: "The amount that the terminal of loopback asks for.")
  var amount: String?
  @Option(
    help: ArgumentHelp("The ISO 4217 number or letters of its currency.", valueName: "code"),
    completion: .custom { _, _, _ in PayTerminal.currencies })
  var currency: String?

  func validate() throws {
    guard (1...3600).contains(timeout ?? 60) else { throw ValidationError("--timeout: the range is 1...3600.") }
    guard (1...60).contains(validity) else { throw ValidationError("--validity \(validity): the range is 1...60.") }
    guard link == PayLink.loopbackName || PayLink.named(link) != nil else {
      throw ValidationError("--link \(link): loopback, nfc:CONNSTRING or vpcd:HOST:PORT is needed.")
    }
    guard link == PayLink.loopbackName || amount == nil && currency == nil else {
      throw ValidationError("--amount and --currency need --link loopback: another terminal has its own.")
    }
  }

  func perform(_ run: WalletRun) async throws -> WalletRun.Success {
    let server = try await run.server(ofCard: card)
    let cards = try await run.cards(of: server)
    let needsLogin = try await cards.requirePermission()
    await cards.replenishIfNeeded(run.output)
    let payer = try await cards.payer(card)
    let terminal = link == PayLink.loopbackName ? try run.terminal(server, amount: amount, currency: currency) : nil
    let hasBegun = Mutex(false)
    switch try await cards.paying(
      whileLoggedIn: needsLogin, { try await pay(cards, payer, terminal, run) { hasBegun.withLock { $0 = true } } })
    {
    case .transactionCompleted(let context): run.output.event("tap", context.members, text: nil)
    case .errorEncountered(let error, _): throw CommandFailure(error, hasBegun: hasBegun.withLock(\.self))
    case .authenticationRequired, .authenticationCompleted, .posConnected, .posDisconnected:
      preconditionFailure("a session ends with a terminal event")
    }
    let result = await terminal?.result
    await cards.replenishIfNeeded(run.output)
    guard let terminal, let result else { return WalletRun.Success(text: "the terminal has the payment") }
    return try WalletRun.Success(result, isIssuerReached: terminal.isIssuerReached)
  }

  private func pay(
    _ cards: WalletCards, _ payer: String?, _ terminal: PayTerminal?, _ run: WalletRun,
    begun: @Sendable () -> Void
  ) async throws -> ContactlessPaymentSession.Event {
    var terms = SessionTerms()
    terms.limits.verificationValidity = .seconds(validity)
    let side = CardPresentation(wallet: cards.wallet, digitalCard: payer, terms: terms)
    let device = if let terminal { terminal.device } else { try await PayLink.open(link) }
    defer { device.close() }
    let instruction = ((try? await run.device.ports.biometric.enrolment())?.kind ?? .finger).instruction
    let (timeout, journal) = (timeout ?? (run.isOpen ? 3_600 : 60), run.journal)
    return try await side.pay(
      waiting: .seconds(timeout), on: { _ in try device.link { Console.note("Waiting for a terminal ...") } },
      observer: { event in
        if case .authenticationRequired = event {
          Console.note("Verifying the holder of the device: \(instruction) ...")
        }
        if case .posConnected = event { begun() }
        if let message = Message(event) { try? journal?.append(message) }
      })
  }
}

extension WalletRun {
  /// The server of a payment: the named or only one, or that of the card, which is the default card when none is named.
  fileprivate func server(ofCard id: String?) async throws -> KnownServer {
    guard servers.allowed.count > 1 else { return try servers.only() }
    let wallet = try await CommandFailure.converting { try await cardFolder(of: servers.known[0].origin).wallet() }
    let cards = await wallet.isInitialized ? try await wallet.cards() : []
    let card = cards.first { id == nil ? $0.isDefault : $0.id == id }
    guard let server = servers.known.first(where: { $0.origin == card?.issuer }) else { throw servers.several }
    return server
  }

  fileprivate func terminal(_ server: KnownServer, amount: String?, currency: String?) throws -> PayTerminal {
    do {
      let transport = try HTTPSTransport(trust: server.ca.map { .authorities(file: $0) } ?? .system)
      let http: any HTTPExchange =
        journal.map { JournalExchange(exchange: transport, journal: $0, sender: PayTerminal.name) } ?? transport
      return try PayTerminal(
        issuer: TerminalIssuer(server: server.origin, over: http), amount: amount ?? "12.34",
        currency: currency ?? "978")
    } catch let error as HTTPSTrustError {
      throw CommandFailure("Certificate", of: error)
    } catch { throw CommandFailure("InvalidArgument", of: error) }
  }
}

extension WalletCards {
  /// The card that pays: the named one, or the default card, or the only one of the issuer when it has not the default
  /// card; nil without any of them.
  func payer(_ id: String?) async throws -> String? {
    guard await wallet.isInitialized else { throw CommandFailure(ContactlessPaymentSession.Error.noDefaultCard) }
    let (all, own) = (try await wallet.cards(), try await own())
    let chosen = all.first { id == nil ? $0.isDefault : $0.id == id }
    if id == nil, chosen?.issuer != access.server, own.count == 1 { return own[0].id }
    guard let chosen, chosen.issuer != access.server else { return id }
    let owner = chosen.issuer ?? "no server: tap present --wallet pays with it"
    throw CommandFailure(
      "unknownCard",
      "the card \(chosen.id) belongs to \(owner); name a card of \(access.server) with --card, or another --server",
      .notRight)
  }

  /// Checks that the device may pay: the issuer has not deactivated or unlinked it, and a session is open unless the issuer
  /// allows a tap without one. Without a connection only the session is checked, and the keys of the device limit its
  /// payments.
  ///
  /// - Returns: Whether the payment needs the session, and ends with it.
  func requirePermission() async throws -> Bool {
    let coordinator = DeviceCoordinator(access)
    do throws(WalletAccessError) {
      let status = try await coordinator.status()
      try await follow(status)
      let isLoggedIn = try await coordinator.isLoggedIn()
      if try await UserEnrolmentCoordinator(access).requirements().tapWithoutLogin { return false }
      if isLoggedIn { return true }
    } catch {
      guard case .invocationFailed = error, try await coordinator.isLoggedIn() else { throw CommandFailure(error) }
      return true
    }
    try await requireSession()
    return true
  }

  /// - Throws: Without a session: `.sessionExpired` after one that has ended by itself, else `.notLoggedIn`.
  private func requireSession() async throws {
    do throws(WalletAccessError) {
      try await AuthenticationCoordinator(access).recordActivity()
    } catch { throw CommandFailure(error) }
  }

  /// Runs a payment, which ends when the login ends that it needs: because the user was inactive for too long, or by a logout
  /// in another process.
  func paying(
    whileLoggedIn needsLogin: Bool, _ pay: () async throws -> ContactlessPaymentSession.Event
  ) async throws -> ContactlessPaymentSession.Event {
    guard needsLogin else { return try await pay() }
    let watch = Task { await endPaymentsAfterLogin() }
    defer { watch.cancel() }
    let event = try await pay()
    watch.cancel()
    if case .errorEncountered(.sessionInvalidated, _) = event, await watch.value { try await requireSession() }
    return event
  }

  /// Waits for the end of the login, and ends the payments that are in progress then, until the task is cancelled: one that
  /// verifies the holder again may begin meanwhile.
  ///
  /// - Returns: Whether the login has ended.
  private func endPaymentsAfterLogin() async -> Bool {
    do throws(WalletAccessError) {
      try await AuthenticationCoordinator(access).waitForSessionEnd()
    } catch {
      // A login that cannot be read any more counts as ended.
      if Task.isCancelled { return false }
    }
    repeat {
      wallet.endPayment(because: "the login has ended")
      try? await Task.sleep(for: .milliseconds(100))
    } while !Task.isCancelled
    return true
  }

  /// Makes the cards follow the status of the device.
  private func follow(_ status: DeviceStatus) async throws(WalletAccessError) {
    // A device that is not linked has lost its cards with its wallet.
    guard status.isRegistered else { throw .notLinked }
    if !status.isActive {
      _ = try? await service.suspendAll(in: wallet)
      throw .inactive
    }
    if try await DeviceCoordinator(access).isLoggedIn() { _ = try? await service.follow(wallet) }
  }

  /// Gets keys for the cards that need them, when a session is open. A failure is only noted: a card with
  /// keys can pay, and another one says that it has none.
  func replenishIfNeeded(_ output: EventOutput) async {
    do {
      guard try await DeviceCoordinator(access).isLoggedIn() else { return }
      for card in try await own() where card.state == .active && card.needsReplenishment {
        guard let left = try await replenish(card.id, isForced: false) else { continue }
        output.event(
          "replenished", [("card", JSONValue(card.id)), ("paymentsLeft", JSONValue(left))],
          text: "keys for further payments received: \(left) are left")
      }
    } catch { Console.note("Note: no further payment keys: \(CommandFailure(any: error).message)") }
  }
}
