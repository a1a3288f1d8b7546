import EMVCard
import EMVData
import ISO7816
import Octets
import Testing

/// The progress of a tap before the event.
enum CardPlace: Int, CaseIterable {
  /// Powered, no command yet.
  case idle
  /// The directory was read.
  case engaged
  /// The application is selected.
  case selected
  /// GET PROCESSING OPTIONS was answered with the cryptogram.
  case initiated
  /// The last record was read.
  case completed
  /// GET PROCESSING OPTIONS was answered, then the application was selected again.
  case reselected
}

/// The use of a card; for a place after the cryptogram, the use since then.
enum CardUse: Int, CaseIterable {
  case unarmed
  case armed
  /// A use that a computation has spent: in this tap for places after the cryptogram, in the tap before for others.
  case spent
  /// A use whose verification is too old.
  case expired
}

/// An event of a card.
enum CardEvent {
  case command(String)
  case field(FieldEvent)
  case arm
  case disarm
}

/// The model of one shipped card: the effect of every event in every state.
struct CardMachine: CustomTestStringConvertible, Sendable {
  /// The effect of one event.
  struct Row: Sendable {
    let name: String
    let event: CardEvent
    /// A cell for each place, in the order of `CardPlace`: a status word (`----` for no response) and the next phase,
    /// `i`dle, `e`ngaged, cryptogram `d`elivered, `c`ompleted, or `=` for no change. Where the effect
    /// depends on the use, the cell has four of these, in the order of `CardUse`, with slashes between.
    let cells: [String]

    init(_ name: String, _ event: CardEvent, _ cells: String...) {
      self.name = name
      self.event = event
      self.cells = cells
    }

    /// The same status word in every place. Any command ends the phase idle.
    init(_ name: String, _ command: String, everywhere status: String) {
      self.init(
        name, .command(command), status + "e", status + "=", status + "=", status + "=", status + "=", status + "=")
    }

    func cell(_ place: CardPlace, _ use: CardUse) -> String {
      let parts = cells[place.rawValue].split(separator: "/").map(String.init)
      return parts.count == 1 ? parts[0] : parts[use.rawValue]
    }
  }

  let card: String
  let select: String
  let options: String
  let records: [String]
  let rows: [Row]

  var testDescription: String { card }

  /// The time of the event in nanoseconds. The deadline of an armed card is not before it, that of an expired one is.
  static let now: Int64 = 500

  private func arming(_ use: CardUse, _ image: CardImage) throws -> Arming {
    try EMVCardTests.arming(for: image, deadline: Instant(nanoseconds: use == .expired ? Self.now - 1 : Self.now))
  }

  /// A card in a state.
  func card(_ place: CardPlace, _ use: CardUse) throws -> Card {
    let image = try shippedImage(card)
    var card = Card(image: image)
    let isBehind = [.initiated, .completed, .reselected].contains(place)
    if use == .spent || isBehind {
      card.arm(try arming(.armed, image))
      try send([select, options], to: &card)
      if place == .completed { try send(records, to: &card) }
      if place == .reselected { try send([select], to: &card) }
      if !isBehind { card.fieldChanged(.lost, at: Instant(nanoseconds: Self.now)) }
      if isBehind, use == .unarmed { card.disarm() }
    }
    if use == .armed || use == .expired { card.arm(try arming(use, image)) }
    if place == .engaged { try send(["00A404000E325041592E5359532E444446303100"], to: &card) }
    if place == .selected { try send([select], to: &card) }
    return card
  }

  private func send(_ commands: [String], to card: inout Card) throws {
    for command in commands { _ = try card.answer(command, at: Self.now) }
  }

  /// Applies an event and returns the status word, or `----`.
  func happen(_ event: CardEvent, to card: inout Card) throws -> String {
    switch event {
    case .command(let command): return String(try card.answer(command, at: Self.now).suffix(4))
    case .field(let change): card.fieldChanged(change, at: Instant(nanoseconds: Self.now))
    case .arm: card.arm(try arming(.armed, shippedImage(self.card)))
    case .disarm: card.disarm()
    }
    return "----"
  }
}

extension CardMachine {
  /// A qVSDC card: GET PROCESSING OPTIONS computes (EMV Contactless Book C-3, 5.4).
  static let visa = CardMachine(
    card: "visa-cvn18", select: "00A4040007A000000003101000", options: CardCommandTests.options,
    records: ["00B2010C00", "00B2011C00"],
    rows: [
      // Selection does not change the phase of a payment.
      Row("SELECT PPSE", "00A404000E325041592E5359532E444446303100", everywhere: "9000"),
      Row("SELECT AID", "00A4040007A000000003101000", everywhere: "9000"),
      Row("SELECT RID", "00A4040005A00000000300", everywhere: "9000"),
      Row("SELECT another AID", "00A4040007A000000004101000", everywhere: "6A82"),
      Row(
        "SELECT next", .command("00A4040207A000000003101000"),
        "9000e", "9000=", "6A82=", "6A82=", "6A82=", "6A82="),
      Row("SELECT without a name", "00A4040000", everywhere: "6700"),
      Row("SELECT of 17 bytes", "00A4040011A0000000031010000000000000000000001100", everywhere: "6700"),
      Row("SELECT by file", "00A4000C023F00", everywhere: "6A86"),
      // The card computes when it is selected, not initiated, armed and in time.
      Row(
        "GPO", .command(CardCommandTests.options),
        "6985e", "6985=", "6986=/9000d/6986=/6986=", "6985=", "6985=", "6986=/9000d/6986=/6986="),
      Row("GPO with wrong parameters", "80A80100028300" + "00", everywhere: "6A86"),
      Row(
        "GPO with a wrong template", .command("80A80000028400" + "00"),
        "6985e", "6985=", "6A80=", "6985=", "6985=", "6A80="),
      Row("GPO without data", .command("80A8000000"), "6985e", "6985=", "6A80=", "6985=", "6985=", "6A80="),
      Row(
        "GPO with values too short", .command("80A8000003830100" + "00"),
        "6985e", "6985=", "6700=", "6985=", "6985=", "6700="),
      // Records are readable after GET PROCESSING OPTIONS; the last one completes a payment that is not complete.
      Row(
        "READ RECORD, first", .command("00B2010C00"), "6985e", "6985=", "6985=", "9000=", "9000=", "6985="),
      Row(
        "READ RECORD, last", .command("00B2011C00"),
        "6985e", "6985=", "6985=", "9000c/9000=/9000c/9000=", "9000=", "6985="),
      Row(
        "READ RECORD that is not there", .command("00B2020C00"),
        "6985e", "6985=", "6985=", "6A83=", "6A83=", "6985="),
      Row(
        "GPO of a reader without qVSDC", .command(CardCommandTests.withoutEMVMode),
        "6985e", "6985=", "6985=", "6985=", "6985=", "6985="),
      Row("READ RECORD 0", "00B2000C00", everywhere: "6A86"),
      Row("READ RECORD of the current file", "00B2010400", everywhere: "6A81"),
      Row("READ RECORD of file 31", "00B201FC00", everywhere: "6A86"),
      Row("READ RECORD by identifier", "00B2010800", everywhere: "6A86"),
      Row("READ RECORD with data", "00B2010C0142" + "00", everywhere: "6A86"),
      // Data objects of the selected application; the counter needs a use.
      Row(
        "GET DATA counter", .command("80CA9F3600"),
        "6985e", "6985=", "6A88=/9000=/6A88=/9000=", "6A88=/9000=/9000=/9000=", "6A88=/9000=/9000=/9000=",
        "6A88=/9000=/9000=/9000="),
      Row(
        "GET DATA of the profile", .command("80CA9F1700"), "6985e", "6985=", "9000=", "9000=", "9000=", "9000="),
      Row("GET DATA unknown", .command("80CA9F1300"), "6985e", "6985=", "6A88=", "6A88=", "6A88=", "6A88="),
      Row("GET DATA with data", "80CA9F36014200", everywhere: "6700"),
      // A response that is longer than the command permits is not given, and nothing changes.
      Row("SELECT PPSE with a short Le", "00A404000E325041592E5359532E444446303134", everywhere: "6C35"),
      Row("SELECT AID with a short Le", "00A4040007A000000003101058", everywhere: "6C59"),
      Row(
        "GPO with a short Le", .command(String(CardCommandTests.options.dropLast(2)) + "39"),
        "6985e", "6985=", "6986=/6C3A=/6986=/6986=", "6985=", "6985=", "6986=/6C3A=/6986=/6986="),
      Row(
        "READ RECORD, last, with a short Le", .command("00B2011C12"),
        "6985e", "6985=", "6985=", "6C13=", "6C13=", "6985="),
      Row(
        "GET DATA with a short Le", .command("80CA9F1703"), "6985e", "6985=", "6C04=", "6C04=", "6C04=", "6C04="),
      // Commands that the card does not have.
      Row("GPO of class 00", "00A8000000", everywhere: "6E00"),
      Row("GENERATE AC", "80AE800002123400", everywhere: "6D00"),
      Row("GET RESPONSE", "00C0000000", everywhere: "6D00"),
      Row("unknown class", "90A4040000", everywhere: "6E00"),
      Row("no APDU", "00A404", everywhere: "6700"),
      Row("nothing", "", everywhere: "6700"),
      Row("wrong Lc", "00A4040009A000000003101000", everywhere: "6700"),
      // A field event ends a tap; arming starts a new payment; disarming changes no phase.
      Row("power", .field(.powered), "----i", "----i", "----i", "----i", "----i", "----i"),
      Row("reset", .field(.reset), "----i", "----i", "----i", "----i", "----i", "----i"),
      Row("deselection", .field(.deselected), "----i", "----i", "----i", "----i", "----i", "----i"),
      Row("loss", .field(.lost), "----i", "----i", "----i", "----i", "----i", "----i"),
      Row("arming", .arm, "----i", "----e", "----e", "----e", "----e", "----e"),
      Row("disarming", .disarm, "----i", "----=", "----=", "----=", "----=", "----="),
    ])
}
