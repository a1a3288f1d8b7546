import DisplayText
import Documents
import Octets
import POSIX
import ProgramSupport
import USBSimulator

/// The USB readers inside the program, by the names of their files in `Fixtures/Readers`.
enum ShippedReaders {
  private static let documents: [(name: String, octets: [UInt8])] = [
    ("acr122u-picc", PackageResources.acr122u_picc_json),
    ("acs-acr1252-dual-reader", PackageResources.acs_acr1252_dual_reader_json),
    ("acs-acr1552", PackageResources.acs_acr1552_json),
    ("acs-acr1581", PackageResources.acs_acr1581_json),
    ("ask-logo", PackageResources.ask_logo_json),
    ("cardman5321", PackageResources.cardman5321_json),
    ("hid-global-omnikey-5022-smart-card-reader", PackageResources.hid_global_omnikey_5022_smart_card_reader_json),
    ("hid-omnikey-5422", PackageResources.hid_omnikey_5422_json),
    ("identiv-utrust-3700-f-cl-reader", PackageResources.identiv_utrust_3700_f_cl_reader_json),
    ("identive-cloud-4700-f", PackageResources.identive_cloud_4700_f_json),
    ("nxp-pn533", PackageResources.nxp_pn533_json),
    ("scm-scl011", PackageResources.scm_scl011_json),
    ("scm-scl3711", PackageResources.scm_scl3711_json),
    ("sony-pn531", PackageResources.sony_pn531_json),
  ]

  static var names: [String] { documents.map(\.name) }

  /// The reader with a name of the list, of a file, or with a part of a name of the list that only one has.
  static func document(_ name: String) throws -> ReaderDocument {
    let shipped = documents.first { $0.name == name }?.octets
    let octets = try shipped ?? file(name)
    return try CardFiles.naming(name) { try ReaderDocument(parsing: octets) }
  }

  private static func file(_ name: String) throws -> [UInt8] {
    let text = Result { () throws(FileError) in try NamedFile.text(name) }
    guard case .failure(let error) = text, error.code == .notFound else { return try text.get() }
    let named = documents.filter { $0.name.contains(name.lowercased()) }
    if let only = named.first, named.count == 1 { return only.octets }
    let guess = name.nearest(in: names).map { " Did you mean \"\($0)\"?" } ?? ""
    throw FileError(
      description: "\(name.visible()): no reader of --list and no file has this name.\(guess)", code: .notFound)
  }
}
