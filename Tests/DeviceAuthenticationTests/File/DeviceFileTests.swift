import DeviceAuthentication
import Foundation
import Octets
import Testing

@Suite("The file of a simulated device", .timeLimit(.minutes(20)))
struct DeviceFileTests {
  @Test func `only its owner can read the file, and no draft is left behind`() async throws {
    let directory = try DeviceDirectory()
    _ = try await directory.phone().ports.keys.create(.sealing)
    let attributes = try FileManager.default.attributesOfItem(atPath: directory.path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.directory.path)
    #expect(names.sorted() == ["device", "device.lock"])
  }

  @Test func `a file that is cut at any byte is a typed error and stays as it is`() async throws {
    let directory = try DeviceDirectory()
    _ = try await directory.phone().ports.keys.create(.sealing)
    let whole = try directory.contents
    for count in 0..<whole.count - 1 {
      let cut = whole.prefix(count)
      try directory.write(cut)
      let error = fileError { () throws(StoredDeviceError) in try StoredDevice(path: directory.path) }
      guard error?.kind == "damaged", error?.description.contains(directory.path) == true else {
        Issue.record("\(count) bytes: \(String(describing: error))")
        return
      }
      guard try directory.contents == cut else {
        Issue.record("\(count) bytes: the file has changed")
        return
      }
    }
  }

  /// Replacements in the file and the kind of the error.
  static let faults: [(String, String, String)] = [
    (#""version" : 2"#, #""version" : 3"#, "unknownVersion"),
    (#""version" : 2"#, #""version" : -1"#, "unknownVersion"),
    (#""version" : 2"#, #""version" : "one""#, "damaged"),
    (#""lockEpoch" : 0"#, #""lockEpoch" : -1"#, "damaged"),
    (#""lockEpoch" : 0"#, #""lockEpoch" : 9223372036854775807"#, "damaged"),
    (#""nextKey" : 2"#, #""nextKey" : 2, "extra" : 1"#, "damaged"),
    (#""kind" : "sealing""#, #""kind" : "other""#, "damaged"),
    (#""passcode" : "31323334""#, #""passcode" : "xy""#, "damaged"),
    (#""failedScans" : 0"#, #""failedScans" : null"#, "damaged"),
    (#""sensor" : "finger""#, #""sensor" : "nose""#, "damaged"),
  ]

  @Test(arguments: faults)
  func `a value outside its range is a typed error that names the file`(
    _ fault: (old: String, new: String, kind: String)
  ) async throws {
    let directory = try DeviceDirectory()
    let device = try directory.phone()
    let key = try await device.ports.keys.create(.sealing)
    let text = String(decoding: try directory.contents, as: UTF8.self)
    let normal = text.replacing("\":", with: "\" :").replacing("\"  :", with: "\" :")
    try #require(normal.contains(fault.old), "\(normal)")
    let changed = Data(normal.replacing(fault.old, with: fault.new).utf8)
    try directory.write(changed)
    let error = fileError { () throws(StoredDeviceError) in try device.status() }
    #expect(error?.kind == fault.kind)
    #expect(error?.description.contains(directory.path) == true)
    #expect(fileError { () throws(StoredDeviceError) in try device.apply([.changePasscode]) } == error)
    await #expect(throws: DeviceAuthenticationError.unavailable(reason: try #require(error).description)) {
      try await device.ports.keys.access(key)
    }
    #expect(try directory.contents == changed)
  }

  @Test func `a file of version 1, which has no notes, is read, and the next change makes one of version 2`()
    async throws
  {
    let directory = try DeviceDirectory()
    let device = try directory.phone()
    let key = try await device.ports.keys.create(.sealing)
    let text = String(decoding: try directory.contents, as: UTF8.self)
    let older = text.replacing(/"version"\s*:\s*2/, with: #""version": 1"#).replacing(/"notes"\s*:\s*null,/, with: "")
    try #require(!older.contains("notes") && older.contains(#""version": 1"#), "\(older)")
    try directory.write(Data(older.utf8))
    #expect(try await device.ports.keys.access(key) == .usable)
    #expect(try await device.ports.keys.note(named: "n") == nil)
    #expect(try await device.ports.keys.keep([1], named: "n", replacing: nil) == [1])
    #expect(String(decoding: try directory.contents, as: UTF8.self).contains(/"version"\s*:\s*2/))
    #expect(try await device.ports.keys.access(key) == .usable)
  }

  @Test func `garbage, a directory, a pipe and a missing directory are typed errors`() throws {
    let directory = try DeviceDirectory()
    func kind() -> String? {
      fileError { () throws(StoredDeviceError) in try StoredDevice(path: directory.path) }?.kind
    }
    for garbage in [Data(), Data([0xFF, 0xFE, 0x00]), Data("null".utf8), Data("[]".utf8), Data("{}".utf8)] {
      try directory.write(garbage)
      #expect(kind() == "damaged", "\(garbage.count)")
    }
    try directory.write(Data(repeating: 0x20, count: 1_048_577))
    #expect(kind() == "damaged")
    try FileManager.default.removeItem(atPath: directory.path)
    #expect(mkfifo(directory.path, 0o600) == 0)
    #expect(kind() == "notReadable")
    try FileManager.default.removeItem(atPath: directory.path)
    try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: false)
    #expect(kind() == "notReadable")
    let missing = fileError { () throws(StoredDeviceError) in
      try StoredDevice(path: directory.directory.appending(path: "nothing/device").path)
    }
    #expect(missing?.kind == "notWritable")
  }

  @Test(arguments: [0o644, 0o640, 0o604, 0o660, 0o602])
  func `a device whose file other users can use is refused with the mode and the remedy`(_ mode: Int) throws {
    let directory = try DeviceDirectory()
    let device = try directory.phone()
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: directory.path)
    let exposed = StoredDeviceError.exposed(path: directory.path, mode: mode)
    #expect(fileError { () throws(StoredDeviceError) in try device.status() } == exposed)
    #expect(fileError { () throws(StoredDeviceError) in try StoredDevice(path: directory.path) } == exposed)
    #expect(fileError { () throws(StoredDeviceError) in try device.apply([.changePasscode]) } == exposed)
    #expect("\(exposed)".contains("has mode \(String(mode, radix: 8))") && "\(exposed)".contains("chmod 600"))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: directory.path)
    #expect(try device.status().isPasscodeSet)
  }

  @Test func `a file that disappears is not created again by a change`() throws {
    let directory = try DeviceDirectory()
    let device = try directory.phone()
    try FileManager.default.removeItem(atPath: directory.path)
    #expect(
      fileError { () throws(StoredDeviceError) in try device.apply([.changePasscode]) }
        == .notFound(path: directory.path))
    #expect(!FileManager.default.fileExists(atPath: directory.path))
  }

  @Test func `changes of many writers at once are all kept`() async throws {
    let directory = try DeviceDirectory()
    _ = try directory.phone()
    let path = directory.path
    let created = try await withThrowingTaskGroup(of: [KeyIdentifier].self) { group in
      for _ in 0..<4 {
        group.addTask {
          let keys = try StoredDevice(path: path).ports.keys
          var own: [KeyIdentifier] = []
          for _ in 0..<10 { own.append(try await keys.create(.sealing)) }
          return own
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    let keys = try StoredDevice(path: path).ports.keys
    #expect(Set(created).count == 40)
    for key in created { #expect(try await keys.access(key) == .usable) }
  }

  // With a shared lock held, only the request of an exclusive lock fails.
  @Test(arguments: [LOCK_EX, LOCK_SH])
  func `a writer that does not release the lock makes the device busy, and reading still works`(_ kind: Int32) throws {
    let directory = try DeviceDirectory()
    let device = try directory.phone()
    let descriptor = open(directory.path + ".lock", O_RDWR)
    defer { close(descriptor) }
    #expect(flock(descriptor, kind) == 0)
    #expect(
      fileError { () throws(StoredDeviceError) in try device.apply([.changePasscode]) } == .busy(path: directory.path))
    #expect(try device.status().isPasscodeSet)
  }

  @Test func `a draft that a killed process left behind is replaced`() throws {
    let directory = try DeviceDirectory()
    let device = try directory.phone()
    try Data("half".utf8).write(to: URL(filePath: directory.path + ".draft"))
    try device.apply([.changePasscode])
    #expect(try device.status().isPasscodeSet)
    #expect(!FileManager.default.fileExists(atPath: directory.path + ".draft"))
  }
}
