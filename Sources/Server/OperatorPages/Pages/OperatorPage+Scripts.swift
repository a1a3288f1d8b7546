internal import AccessMessages
internal import DisplayText
internal import Octets
internal import ServerShell
internal import ServerStore

extension OperatorPage {
  /// The orders of issuer scripts for a card, and the form for a further one.
  package static let scripts = OperatorPage(
    path: PagePath.scripts, title: "Script orders", section: PagePath.cards,
    subject: { page, request in try page.name(of: page.card(request)) },
    content: { page, request in
      let card = try page.card(request)
      let rows = try page.transaction.cardScripts(of: card.id).map { order -> [HTML] in
        let cancel = [(name: "id", value: card.id), (name: "order", value: order.id)]
        return [
          "\(PageValue.command(order))", PageValue.moment(order.createdAt), PageValue.sent(order),
          request.button("Cancel order", PagePath.scriptCancellation, cancel),
        ]
      }
      let offer = try page.scriptOffer(card)
      let table = PageTable(
        columns: ["Command", "Ordered", "Sent", "Action"], rows: rows, empty: offer.emptyList)
      return """
        <dl><div><dt>Card</dt><dd>\(try page.name(of: card))</dd></div>
        <div><dt>User</dt><dd>\(try page.person(card.account))</dd></div>
        <div><dt>State</dt><dd>\(PageValue.state(card.state.rawValue))</dd></div></dl>
        <h2>Orders that stand</h2>
        \(table.html)
        \(request.part(of: offer, card))
        """
    })
}

extension PageReader {
  /// The card of the query, or of the form that was refused.
  fileprivate func card(_ request: PageRequest) throws(AccessError) -> IssuedCardRecord {
    let id = try request.call.parameter("id", 1...128) ?? request.call.form["id"] ?? ""
    guard let card = try transaction.card(id) else { throw .refused(.notFound, "there is no such card") }
    return card
  }

  fileprivate func name(of card: IssuedCardRecord) throws(AccessError) -> String {
    "\(card.name), ending with \(try facts.lastDigits(of: card))"
  }

  fileprivate func scriptOffer(_ card: IssuedCardRecord) throws(AccessError) -> ScriptOffer {
    do throws(AccessError) {
      return .commands(writableTags: try facts.writableTags(of: card))
    } catch .refused(let failure) {
      return .none(reason: failure.message)
    }
  }
}

/// The commands that the page offers for a card.
private enum ScriptOffer {
  /// PUT DATA writes these tags; without tags it is not offered.
  case commands(writableTags: [String])
  case none(reason: String)

  /// The sentence for a list without orders.
  var emptyList: String {
    switch self {
    case .commands: "No order stands for this card. Choose a command below."
    case .none: "No order stands for this card."
    }
  }
}

extension PageRequest {
  /// The commands of the form, with their effects. CARD BLOCK cannot be lifted: only the program orders it.
  private static let commands: [(command: CardScript.Command, effect: HTML)] = [
    (.blockApplication, "the application declines every payment"),
    (.unblockApplication, "the application pays again"),
    (.putData, "replaces the value of a tag"),
  ]

  /// The form, or the reason why the card takes no command.
  fileprivate func part(of offer: ScriptOffer, _ card: IssuedCardRecord) -> HTML {
    switch offer {
    case .commands(let writableTags): orderForm(card, writableTags: writableTags)
    case .none(let reason): "<p>No command can be ordered: \(reason).</p>"
    }
  }

  private func orderForm(_ card: IssuedCardRecord, writableTags: [String]) -> HTML {
    """
    <section class="screen"><h2>Order a command</h2>
    <p>The server sends it with the response to each genuine payment of the card until the order is cancelled. A newer order for
    the same subject replaces it. A card does not report which commands it has executed. CARD BLOCK cannot be lifted: order it with
    <code>tap-server card script \(card.id) --block-card</code>.</p>
    <form class="filter" method="post" action="\(PagePath.scripts.query([(Self.pageParameter, path), ("id", card.id)]))">
    \(PageFrame.token(session.formToken))<input type="hidden" name="id" value="\(card.id)">
    \(commandField(putData: !writableTags.isEmpty))
    \(writableTags.isEmpty ? .empty : dataFields(writableTags))
    <div><button>Order</button></div></form>
    \(writableTags.isEmpty ? "<p>PUT DATA cannot be ordered: the card lets scripts write no tag.</p>" : .empty)</section>
    """
  }

  private func commandField(putData isOffered: Bool) -> HTML {
    let chosen = call.form["command"]
    let options = Self.commands.filter { $0.command != .putData || isOffered }.map { command, effect -> HTML in
      let selected: HTML = command.rawValue == chosen ? " selected" : .empty
      return "<option value=\"\(command.rawValue)\"\(selected)>\(command.name): \(effect)</option>"
    }
    return """
      <div><label for="command">Command</label><select id="command" name="command">\(options)</select></div>
      """
  }

  private func dataFields(_ tags: [String]) -> HTML {
    """
    <div><label for="tag">Tag of PUT DATA: \(tags.joined(separator: ", "))</label>
    <input id="tag" name="tag" type="text" maxlength="4" placeholder="\(tags[0])" value="\(call.form["tag"] ?? "")"></div>
    <div><label for="value">Value of PUT DATA (hexadecimal)</label>
    <input id="value" name="value" type="text" maxlength="128" value="\(call.form["value"] ?? "")"></div>
    """
  }
}
