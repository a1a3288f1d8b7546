internal import EMVCard
internal import EMVData
internal import EMVIssuer
internal import Octets

/// Why a profile cannot be a template of cards.
public struct CardTemplateError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A sentence.
  public let description: String

  init(_ description: String) { self.description = description }
}

/// A profile from which the issuer makes cards, each with its own account number.
public struct CardTemplate: Hashable, Sendable {
  /// The name of the profile.
  public var name: String { profile.name }
  /// The profile, with an account number that stands for that of the card.
  let profile: CardProfile
  /// The different account numbers of its applications.
  let accountNumbers: [PrimaryAccountNumber]

  /// Reads and checks a profile in the format `contactless-card/1`.
  ///
  /// - Throws: `CardTemplateError`.
  public init(json: [UInt8], prefix: String) throws(CardTemplateError) {
    let image: CardImage
    do throws(CardProfileError) {
      profile = try CardProfile(json: json)
      image = try CardImage(json: json)
    } catch { throw CardTemplateError("\(error)") }
    var numbers: [PrimaryAccountNumber] = []
    for application in image.applications where !numbers.contains(application.accountNumber) {
      numbers.append(application.accountNumber)
    }
    accountNumbers = numbers
    _ = try card(numberedFrom: 0, prefix, of: Issuer(keys: .publicTest))
  }

  /// A card made from the template.
  struct Card {
    /// The profile with the account numbers of the card.
    let json: [UInt8]
    let image: CardImage
  }

  /// Makes a card. A card that signs gets certificates of the test authority for its own account number and its own key,
  /// which the issuer derives from its master key.
  ///
  /// - Parameters:
  ///   - serial: The serial number of its first account number; the card takes as many as the template has.
  ///   - prefix: The first digits of every account number.
  /// - Throws: `CardTemplateError`.
  func card(numberedFrom serial: Int, _ prefix: String, of issuer: Issuer) throws(CardTemplateError) -> Card {
    var personalised = profile
    var given: [PrimaryAccountNumber: PrimaryAccountNumber] = [:]
    for (index, number) in accountNumbers.enumerated() {
      let count = number.exposedDigits.utf8.count
      guard let own = PrimaryAccountNumber(prefix: prefix, serial: serial + index, count: count) else {
        throw CardTemplateError(
          """
          account numbers of \(count) digits have no room for a prefix of \(prefix.utf8.count) digits, the serial number \
          and a check digit
          """)
      }
      personalised.replace(number, with: own)
      given[number] = own
    }
    do throws(TestAuthority.ProfileFailure) {
      personalised = try issuer.recertified(personalised)
    } catch { throw CardTemplateError("the server cannot certify such cards: \(error)") }
    let json = personalised.json
    do throws(CardProfileError) {
      let (image, template) = (try CardImage(json: json), try CardImage(json: profile.json))
      let isComplete = zip(image.applications, template.applications)
        .allSatisfy { $0.accountNumber == given[$1.accountNumber] }
      if isComplete { return Card(json: json, image: image) }
    } catch { throw CardTemplateError("\(error)") }
    throw CardTemplateError("an account number is written with spaces between its digits: write it without")
  }
}

extension CardProfile {
  /// Replaces an account number in all data objects: as digits of tags 5A, 57 and 9F6B, and as text of tag 56.
  fileprivate mutating func replace(_ old: PrimaryAccountNumber, with new: PrimaryAccountNumber) {
    func replaced(_ text: String) -> String {
      text.replacing(old.exposedDigits, with: new.exposedDigits)
        .replacing(Array(old.exposedDigits.utf8).hex, with: Array(new.exposedDigits.utf8).hex)
    }
    for index in applications.indices {
      for record in applications[index].records.indices {
        applications[index].records[record].data = applications[index].records[record].data.map(replaced)
      }
      applications[index].processingOptions = applications[index].processingOptions?.map(replaced)
      applications[index].getData = applications[index].getData?.map(replaced)
    }
  }
}

extension PrimaryAccountNumber {
  /// An account number of a series: prefix, serial number, check digit (Luhn, ISO/IEC 7812-1 annex B). Nil when the serial
  /// number has too many digits.
  init?(prefix: String, serial: Int, count: Int) {
    let digits = String(serial)
    let zeros = count - prefix.utf8.count - digits.utf8.count - 1
    guard serial >= 0, zeros >= 0 else { return nil }
    let body = prefix + String(repeating: "0", count: zeros) + digits
    let candidates = (0...9).compactMap { PrimaryAccountNumber(digits: "\(body)\($0)") }
    guard let number = candidates.first(where: \.hasValidCheckDigit) else { return nil }
    self = number
  }
}
