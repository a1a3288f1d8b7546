import Foundation
import Links
import NFCReader
import Octets
import PCSCReader

/// Gathers the facts: the only part of the check that touches the machine.
struct SetupSurvey: Sendable {
  /// The directory that stands for `/`.
  var root = ""
  var environment: [String: String]

  /// How long the reader service may take to answer.
  static let servicePatience = Duration.seconds(5)

  /// Looks everywhere but at what needs a service: files of this machine.
  func files() -> SetupFacts {
    var facts = SetupFacts()
    facts.service = service
    facts.ccid = ccid
    facts.modules = text("/proc/modules").map { $0.split(separator: "\n").compactMap { $0.firstWord } }
    facts.usb = usbDevices
    facts.nfc.configuration = text("/etc/nfc/libnfc.conf")
    facts.nfc.environment = environment.filter { $0.key.hasPrefix("LIBNFC_") }
    facts.ports = serialPorts(named: facts.nfc.namedDevices.compactMap(NFCFacts.path))
    return facts
  }

  /// Looks everywhere. Blocks.
  func everything(nfcProgram: String = NFCDevice.defaultProgram) -> SetupFacts {
    let readers = DedicatedThread(named: "readers") { () throws(LinkError) in try PCSCService.readers() }
    let devices = DedicatedThread(named: "nfc") { () throws(LinkError) in
      try NFCDevice.connstrings(program: nfcProgram)
    }
    var facts = files()
    facts.nfc.program = nfcProgram
    facts.nfc.isProgramExecutable = FileManager.default.isExecutableFile(atPath: nfcProgram)
    facts.service.answer = readers.outcome(within: Self.servicePatience)
    facts.nfc.devices = devices.outcome(within: .seconds(40))
    return facts
  }

  private var service: ServiceFacts {
    let path = environment["PCSCLITE_CSOCK_NAME"] ?? ServiceFacts.standardSocketPath
    return ServiceFacts(
      socketPath: path, socket: file(path), isInstalled: file("/usr/sbin/pcscd") != .absent,
      processes: processes(named: "pcscd"))
  }

  private var ccid: CCIDFacts {
    let bundle = "/usr/lib/pcsc/drivers/ifd-ccid.bundle"
    return CCIDFacts(
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
    // What cannot be listed has nothing to show; who needs to know asks for the directory itself.
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
  /// How the work ended, or nil when it has not in time.
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
