internal import Documents
package import ISO7816
internal import JSON
internal import Octets

extension CardProfile {
  /// Reads a profile without compiling it.
  ///
  /// - Throws: `CardProfileError` with every value that is missing or of the wrong kind, and every key that no profile
  ///   has. The keys of a scheme are checked by `CardImage`.
  public init(json: [UInt8]) throws(CardProfileError) {
    var reader = ObjectReader(try Self.parse(json), at: "")
    let profile = CardProfile(&reader)
    try CardProfileError.check(reader.finish(), isText: true)
    self = profile
  }

  /// The profile as JSON on one line, in the order in which the keys are documented.
  public var json: [UInt8] { Array(value.compact.utf8) }

  /// Reads the text.
  static func parse(_ json: [UInt8]) throws(CardProfileError) -> JSONValue {
    guard json.count <= maximumCount else {
      throw CardProfileError([.init("", "the profile has \(json.count.bytes): the limit is \(maximumCount)")])
    }
    do throws(JSONError) {
      return try JSONValue(parsing: json)
    } catch {
      throw CardProfileError([
        .init("", "not JSON: expected \(error.expected), found \(error.found)", at: error.position)
      ])
    }
  }

  /// The profile as a JSON value.
  var value: JSONValue {
    JSONValue(members: [
      ("format", JSONValue(format)), ("name", JSONValue(name)),
      ("applications", JSONValue(applications.map(\.value))), ("faults", faults.map { JSONValue($0) }),
    ])
  }

  /// A data object of a profile, such as `5F24 301231`; nil for a text of another form.
  package static func dataObject(_ text: String) -> TLVNode? {
    let parts = text.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, let tag = UInt32(parts[0], radix: 16), let value = try? [UInt8](hex: String(parts[1]))
    else { return nil }
    return TLVNode(Tag(rawValue: tag), value)
  }

  private init(_ reader: inout ObjectReader) {
    _ = reader.text(ProfileKey.schemaReference)
    format = reader.text("format")
    name = reader.text("name")
    applications = reader.objects("applications") { Application(&$0) }
    faults = reader.value(CardKeys.faults)?.list
  }
}

extension CardProfile.Application {
  private static let keys = Set(CardKeys.application(kernels: []).map(\.name))

  fileprivate init(_ reader: inout ObjectReader) {
    aid = reader.text("aid")
    label = reader.text("label")
    priority = reader.integer("priority", in: Int.min...Int.max)
    kernel = reader.text("kernel")
    pdol = reader.text("pdol")
    fci = reader.optionalTexts("fci")
    issuerDiscretionary = reader.optionalTexts("issuerDiscretionary")
    aip = reader.text("aip")
    cryptogram = reader.object("cryptogram") { CardProfile.Cryptogram(&$0) }
    certificationAuthority = reader.optionalObject(CardKeys.certificationAuthority.name) { reader in
      CardProfile.CertificationAuthority(modulus: reader.text("modulus"), exponent: reader.text("exponent"))
    }
    processingOptions = reader.optionalTexts("processingOptions")
    records = reader.objects("records") { CardProfile.Record(&$0) }
    getData = reader.optionalTexts("getData")
    firstATC = reader.optionalInteger("firstATC", in: Int.min...Int.max)
    uses = reader.optionalInteger("uses", in: Int.min...Int.max)
    for member in reader.members() where !Self.keys.contains(member.key) { schemeKeys[member.key] = member.value }
  }

  fileprivate var value: JSONValue {
    let own = schemeKeys.sorted { $0.key < $1.key }.map { ($0.key, Optional($0.value)) }
    return JSONValue(
      members: [
        ("aid", JSONValue(aid)), ("label", JSONValue(label)), ("priority", JSONValue(priority)),
        ("kernel", JSONValue(kernel)), ("pdol", JSONValue(pdol)), ("fci", texts(fci)),
        ("issuerDiscretionary", texts(issuerDiscretionary)), ("aip", JSONValue(aip)), ("cryptogram", cryptogram.value),
        ("certificationAuthority", certificationAuthority.map(\.value)),
        ("processingOptions", texts(processingOptions)),
      ] + own + [
        ("records", JSONValue(records.map(\.value))), ("getData", texts(getData)),
        ("firstATC", firstATC.map { JSONValue($0) }), ("uses", uses.map { JSONValue($0) }),
      ])
  }

  private func texts(_ texts: [String]?) -> JSONValue? { texts.map { JSONValue($0.map { JSONValue($0) }) } }
}

extension CardProfile.CertificationAuthority {
  fileprivate var value: JSONValue { ["modulus": JSONValue(modulus), "exponent": JSONValue(exponent)] }
}

extension CardProfile.Cryptogram {
  fileprivate init(_ reader: inout ObjectReader) {
    system = reader.optionalChoice("system", of: System.allCases.map { ($0.rawValue, $0) })
    version = reader.integer("version", in: Int.min...Int.max)
    derivationKeyIndex = reader.text("derivationKeyIndex")
    cvr = reader.text("cvr")
    further = reader.optionalText("further")
  }

  fileprivate var value: JSONValue {
    JSONValue(members: [
      ("system", system.map { JSONValue($0.rawValue) }), ("version", JSONValue(version)),
      ("derivationKeyIndex", JSONValue(derivationKeyIndex)), ("cvr", JSONValue(cvr)),
      ("further", further.map { JSONValue($0) }),
    ])
  }
}

extension CardProfile.Record {
  fileprivate init(_ reader: inout ObjectReader) {
    sfi = reader.integer("sfi", in: Int.min...Int.max)
    record = reader.integer("record", in: Int.min...Int.max)
    isSigned = reader.optionalFlag(CardKeys.signed.name)
    data = reader.texts("data")
  }

  fileprivate var value: JSONValue {
    JSONValue(members: [
      ("sfi", JSONValue(sfi)), ("record", JSONValue(record)),
      (CardKeys.signed.name, isSigned.map { JSONValue($0) }), ("data", JSONValue(data.map { JSONValue($0) })),
    ])
  }
}
