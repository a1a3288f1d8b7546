import AccessMessages
import DeviceLink
import Foundation
import JSON
import MobileAuthentication

/// What the first use of a folder stores: server, authorities, device, and what the program is to the server.
struct Settings: Equatable {
  var server: String?
  var ca: String?
  var device: String?
  var profile: AuthenticatorProfile?
  var serverVersion: DottedVersion?
  var facet: String?
  var refusesOwnerFolder = false

  private static let version = 1

  /// Reads the settings of a folder and fills in what they lack from options, which are stored then. An option that
  /// differs from the settings holds for this run only.
  static func taking(_ options: StateOptions, _ protocolOptions: ProtocolOptions?) throws(CommandFailure)
    -> Settings
  {
    let (profile, serverVersion) = (protocolOptions?.profile, protocolOptions?.serverVersion)
    let path = options.state + "/settings.json"
    let ca = options.ca.map { URL(filePath: $0).standardizedFileURL.path }
    var settings = try FileManager.default.fileExists(atPath: path) ? Settings(path: path) : Settings()
    let stored = settings
    settings.server = settings.server ?? options.server
    settings.ca = settings.ca ?? ca
    settings.device = settings.device ?? options.device
    settings.profile = settings.profile ?? profile
    settings.serverVersion = settings.serverVersion ?? serverVersion
    settings.facet = settings.facet ?? options.facet
    settings.refusesOwnerFolder = settings.refusesOwnerFolder || options.refuseOwnerFolder
    if settings != stored { try Files.write(settings.json.pretty + "\n", to: path) }
    return Settings(
      server: options.server ?? settings.server, ca: ca ?? settings.ca, device: options.device ?? settings.device,
      profile: profile ?? settings.profile, serverVersion: serverVersion ?? settings.serverVersion,
      facet: options.facet ?? settings.facet, refusesOwnerFolder: settings.refusesOwnerFolder)
  }

  /// The checks of this process.
  var integrity: ProcessIntegrity { ProcessIntegrity(refusesOwnerFolder: refusesOwnerFolder) }

  /// Returns the facet identifier that a folder stores; nil for a folder that stores none.
  static func storedFacet(in folder: String) throws(CommandFailure) -> String? {
    let path = folder + "/settings.json"
    return FileManager.default.fileExists(atPath: path) ? try Settings(path: path).facet : nil
  }

  private init(
    server: String? = nil, ca: String? = nil, device: String? = nil, profile: AuthenticatorProfile? = nil,
    serverVersion: DottedVersion? = nil, facet: String? = nil, refusesOwnerFolder: Bool = false
  ) {
    (self.server, self.ca, self.device) = (server, ca, device)
    (self.profile, self.serverVersion, self.facet) = (profile, serverVersion, facet)
    self.refusesOwnerFolder = refusesOwnerFolder
  }

  private init(path: String) throws(CommandFailure) {
    let octets = try Files.read(path)
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: octets)
    } catch { throw CommandFailure("Settings", "\(path): \(error)") }
    var reader = ObjectReader(value)
    _ = reader.integer("version", in: Self.version...Self.version)
    let version = reader.optionalText("serverVersion")
    let serverVersion = version.flatMap { DottedVersion($0) }
    if version != nil, serverVersion == nil { reader.note("serverVersion", "numbers with points are needed") }
    self.init(
      server: reader.optionalText("server", characters: 1...1_024), ca: reader.optionalText("ca"),
      device: reader.optionalText("device"),
      profile: reader.optionalChoice("profile", of: AuthenticatorProfile.allCases.map { ($0.rawValue, $0) }),
      serverVersion: serverVersion,
      facet: reader.optionalText("facet", characters: 1...512),
      refusesOwnerFolder: reader.optionalFlag("refusesOwnerFolder") ?? false)
    if let problem = reader.finish().first { throw CommandFailure("Settings", "\(path): \(problem)") }
  }

  private var json: JSONValue {
    JSONValue(members: [
      ("version", JSONValue(Self.version)), ("server", server.map { JSONValue($0) }), ("ca", ca.map { JSONValue($0) }),
      ("device", device.map { JSONValue($0) }), ("profile", profile.map { JSONValue($0.rawValue) }),
      ("serverVersion", serverVersion.map { JSONValue($0.description) }), ("facet", facet.map { JSONValue($0) }),
      ("refusesOwnerFolder", refusesOwnerFolder ? JSONValue(true) : nil),
    ])
  }
}
