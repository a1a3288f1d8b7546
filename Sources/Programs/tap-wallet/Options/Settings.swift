import AccessMessages
import DeviceLink
import Documents
import FIDOUAF
import Foundation
import JSON
import MobileAuthentication
import ProcessGuard
import ProgramSupport

/// A server that a folder knows.
struct KnownServer: Equatable, Sendable {
  /// The origin, such as `https://example.org:8443`.
  let origin: String
  /// The file of the authorities that its certificate is verified with; nil for those of the system.
  var ca: String?

  /// Reads a URL that `StateOptions` has accepted.
  init(url: String, ca: String?) {
    origin = WebOrigin(url: url)?.text ?? url
    self.ca = ca
  }
}

/// What the first use of a folder stores: servers with their authorities, the device, and what the program is to a server.
struct Settings: Equatable, Sendable {
  /// In the order of their first use.
  var servers: [KnownServer] = []
  var device: String?
  var profile: AuthenticatorProfile?
  var serverVersion: DottedVersion?
  var facet: String?
  var refusesOwnerFolder = false
  var onTampering: TamperingReaction?
  var refused: [Surrounding]?
  var rules = EntryRules()

  /// Version 1 has one server.
  private static let version = 2

  /// The path of the settings of a folder.
  static func path(in folder: String) -> String { folder + "/settings.json" }

  /// Reads the settings of a folder; empty ones for a folder that stores none.
  init(in folder: String) throws(CommandFailure) {
    let path = Self.path(in: folder)
    if FileManager.default.fileExists(atPath: path) { try read(path) }
  }

  /// Fills in what the settings lack from options. The first server is stored at once, others with what the folder keeps of
  /// them.
  mutating func complete(_ options: StateOptions, _ protocolOptions: ProtocolOptions?) {
    if servers.isEmpty, let url = options.server { servers = [KnownServer(url: url, ca: options.authorities)] }
    let named = options.server.map { KnownServer(url: $0, ca: nil).origin }
    for index in servers.indices where servers[index].ca == nil {
      if named == servers[index].origin || named == nil && servers.count == 1 {
        servers[index].ca = options.authorities
      }
    }
    device = device ?? options.device
    profile = profile ?? protocolOptions?.profile
    serverVersion = serverVersion ?? protocolOptions?.serverVersion
    facet = facet ?? options.facet
    refusesOwnerFolder = refusesOwnerFolder || options.integrity.refuseOwnerFolder
    onTampering = onTampering ?? options.integrity.onTampering
    refused = refused ?? options.integrity.refuse?.members
  }

  /// The checks of this process.
  var integrity: ProcessIntegrity {
    ProcessIntegrity(
      refusesOwnerFolder: refusesOwnerFolder, refused: Set(refused ?? []), reaction: onTampering ?? .error)
  }

  /// The settings of one run: an option that differs holds for this run only.
  func overridden(by options: StateOptions, _ protocolOptions: ProtocolOptions?) -> Settings {
    var settings = self
    settings.device = options.device ?? device
    settings.profile = protocolOptions?.profile ?? profile
    settings.serverVersion = protocolOptions?.serverVersion ?? serverVersion
    settings.facet = options.facet ?? facet
    settings.onTampering = options.integrity.onTampering ?? onTampering
    settings.refused = options.integrity.refuse?.members ?? refused
    return settings
  }

  /// Writes the settings of a folder.
  func write(in folder: String) throws(CommandFailure) {
    try OptionFiles.write(json.pretty + "\n", to: Self.path(in: folder))
  }

  private mutating func read(_ path: String) throws(CommandFailure) {
    let octets = try OptionFiles.read(path)
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: octets)
    } catch { throw CommandFailure("Settings", "\(path): \(error)", .notRight) }
    var reader = ObjectReader(value)
    _ = reader.integer("version", in: 1...Self.version)
    let former = reader.optionalText("server", characters: 1...1_024)
    let formerCA = reader.optionalText("ca")
    servers = former.map { [KnownServer(url: $0, ca: formerCA)] } ?? []
    if reader.has("servers") { servers = reader.objects("servers") { KnownServer(reading: &$0) } }
    device = reader.optionalText("device")
    profile = reader.optionalChoice("profile", of: AuthenticatorProfile.allCases.map { ($0.rawValue, $0) })
    let text = reader.optionalText("serverVersion")
    serverVersion = text.flatMap { DottedVersion($0) }
    if text != nil, serverVersion == nil { reader.note("serverVersion", "numbers with points are needed") }
    facet = reader.optionalText("facet", characters: 1...512)
    refusesOwnerFolder = reader.optionalFlag("refusesOwnerFolder") ?? false
    onTampering = reader.optionalChoice("onTampering", of: TamperingReaction.allCases.map { ($0.rawValue, $0) })
    refused = reader.optionalList("refuse") { value, place, reader in
      let kind = value.text.flatMap { Surrounding(rawValue: $0) }
      if kind == nil { reader.refuse(place, Surrounding.expectation) }
      return kind
    }
    rules = EntryRules(reading: &reader)
    if let problem = reader.finish().first { throw CommandFailure("Settings", "\(path): \(problem)", .notRight) }
  }

  private var json: JSONValue {
    JSONValue(
      members: [
        ("version", JSONValue(Self.version)), ("servers", JSONValue(servers.map(\.json))),
        ("device", device.map { JSONValue($0) }), ("profile", profile.map { JSONValue($0.rawValue) }),
        ("serverVersion", serverVersion.map { JSONValue($0.description) }), ("facet", facet.map { JSONValue($0) }),
        ("refusesOwnerFolder", refusesOwnerFolder ? JSONValue(true) : nil),
        ("onTampering", onTampering.map { JSONValue($0.rawValue) }),
        ("refuse", refused.map { JSONValue($0.map { JSONValue($0.rawValue) }) }),
      ] + rules.members)
  }
}

extension KnownServer {
  fileprivate init(reading reader: inout ObjectReader) {
    self.init(url: reader.text("server", characters: 1...1_024), ca: reader.optionalText("ca"))
  }

  fileprivate var json: JSONValue {
    JSONValue(members: [("server", JSONValue(origin)), ("ca", ca.map { JSONValue($0) })])
  }
}
