internal import Foundation
internal import Links
public import NFCReader
internal import PCSCReader

/// Looks at the readers, services, drivers and permissions of this machine and finds what keeps a reader from working.
public struct SetupSurvey: Sendable {
  // The directory that is taken for `/`; empty for the machine's own.
  let root: String
  let environment: [String: String]

  /// The time within which pcscd must answer.
  static let servicePatience = Duration.seconds(5)
  /// The time within which libnfc must have looked for devices. It waits long for a USB device that is stuck.
  static let devicePatience = Duration.seconds(40)

  /// Creates a survey.
  ///
  /// - Parameters:
  ///   - environment: The environment variables of the program that uses the readers, such as `LIBNFC_DEVICE`.
  ///   - root: A directory that is taken for `/`; empty for the machine's own.
  public init(environment: [String: String], root: String = "") {
    self.environment = environment
    self.root = root
  }

  /// Returns everything that was looked at, from the reader service to libnfc. Blocks, for 40 s at most.
  ///
  /// - Parameter nfcProgram: The path of the program that runs libnfc.
  public func findings(nfcProgram: String = NFCDevice.defaultProgram) -> [Finding] {
    facts(nfcProgram: nfcProgram).findings
  }

  /// The facts that the files of this machine show. No service is asked.
  func files() -> SetupState {
    var facts = SetupState()
    facts.service = service
    facts.ccid = ccid
    facts.modules = text("/proc/modules").map { $0.split(separator: "\n").compactMap { $0.firstWord } }
    facts.usb = usbDevices
    facts.nfc.configuration = text("/etc/nfc/libnfc.conf")
    facts.nfc.environment = environment.filter { $0.key.hasPrefix("LIBNFC_") }
    facts.ports = serialPorts(named: facts.nfc.namedDevices.compactMap(NFCState.path))
    return facts
  }

  /// All facts: the files, and the responses of pcscd and libnfc.
  func facts(nfcProgram: String) -> SetupState {
    let readers = DedicatedThread(named: "readers") { () throws(LinkError) in try PCSCService.readers() }
    let devices = DedicatedThread(named: "nfc") { () throws(LinkError) in
      try NFCDevice.connstrings(program: nfcProgram)
    }
    var facts = files()
    facts.nfc.program = nfcProgram
    facts.nfc.isProgramExecutable = FileManager.default.isExecutableFile(atPath: nfcProgram)
    facts.service.answer = readers.outcome(within: Self.servicePatience)
    facts.nfc.devices = devices.outcome(within: Self.devicePatience)
    return facts
  }

  private var service: ServiceState {
    let path = environment["PCSCLITE_CSOCK_NAME"] ?? ServiceState.standardSocketPath
    return ServiceState(
      socketPath: path, socket: file(path), isInstalled: file("/usr/sbin/pcscd") != .absent,
      processes: processes(named: "pcscd"))
  }

  private var ccid: CCIDState {
    let bundle = "/usr/lib/pcsc/drivers/ifd-ccid.bundle"
    return CCIDState(
      isInstalled: file(bundle) != .absent,
      settings: text("/etc/libccid_Info.plist") ?? text("\(bundle)/Contents/Info.plist"))
  }

  private func processes(named name: String) -> [Int] {
    names(in: "/proc").compactMap { Int($0) }.filter { processName($0) == name }.sorted()
  }

  func processName(_ identifier: Int) -> String? {
    text("/proc/\(identifier)/comm").map { $0.trimmingCharacters(in: .newlines) }
  }

  // MARK: Files

  func text(_ path: String) -> String? {
    // Files of /proc have no size, so they are read to their end.
    FileManager.default.contents(atPath: root + path).map { String(decoding: $0, as: UTF8.self) }
  }

  func names(in directory: String) -> [String] {
    // A directory that cannot be listed has no names; `file(_:)` has the reason.
    (try? FileManager.default.contentsOfDirectory(atPath: root + directory))?.sorted() ?? []
  }

  func file(_ path: String) -> FileSight {
    let target = URL(filePath: root + path).resolvingSymlinksInPath().path
    do {
      let attributes = try FileManager.default.attributesOfItem(atPath: target)
      return .present(
        FileFact(
          isSocket: attributes[.type] as? FileAttributeType == .typeSocket,
          owner: attributes[.ownerAccountName] as? String ?? "?",
          group: attributes[.groupOwnerAccountName] as? String ?? "?",
          mode: (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0,
          isReadable: FileManager.default.isReadableFile(atPath: target),
          isWritable: FileManager.default.isWritableFile(atPath: target)))
    } catch let error as CocoaError where error.code == .fileReadNoPermission {
      return .hidden
    } catch {
      return .absent
    }
  }
}

extension DedicatedThread {
  /// The result of the work, or nil when it has not ended in time.
  fileprivate func outcome(within limit: Duration) -> Result<Success, Failure>? {
    do throws(Failure) {
      return try join(timeout: limit).map { .success($0) }
    } catch {
      return .failure(error)
    }
  }
}

extension Substring {
  fileprivate var firstWord: String? { split(separator: " ").first.map(String.init) }
}
