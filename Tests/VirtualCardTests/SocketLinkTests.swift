import Foundation
import Links
import TestSupport
import Testing
import VirtualCard

@Suite("A link to the socket of a reader service", .blocks, .serialized, .timeLimit(.minutes(5)))
struct SocketLinkTests {
  private let folder: Scratch
  private let service: PrivateReaderService

  init() throws {
    folder = try Scratch()
    service = try PrivateReaderService.withVirtualReader(named: "Linked")
  }

  private func target(of path: String) -> String? { try? FileManager.default.destinationOfSymbolicLink(atPath: path) }

  @Test func `another program finds the readers through it, and it is removed`() throws {
    let link = try SocketLink(at: folder.path("lab"), to: service)
    let program = try ProgramRun("opensc-tool", ["--list-readers"], environment: ["PCSCLITE_CSOCK_NAME": link.path])
    #expect(try program.finish() == .exited(0), "\(program.errors)")
    #expect(program.output.contains("Linked 00 00"))
    link.remove()
    #expect(target(of: link.path) == nil)
  }

  @Test func `a link to the socket of a service that is gone is replaced`() throws {
    let path = folder.path("lab")
    let ended = try PrivateReaderService.withVirtualReader(named: "Ended")
    _ = try SocketLink(at: path, to: ended)
    ended.close()
    let link = try SocketLink(at: path, to: service)
    #expect(target(of: path) == service.socketPath)
    link.remove()
  }

  @Test(arguments: ["/nonexistent/s", "/tmp/pcscd-/s", "/tmp/pcscd-abcdefg/s", "/tmp/pcscd-abcdef/t"])
  func `a link to anything else that is gone is kept`(target: String) throws {
    let path = folder.path("lab")
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    let error = try #require(throws: LinkError.self) { try SocketLink(at: path, to: service) }
    #expect("\(error)".contains("it exists: name another file"))
    #expect(self.target(of: path) == target)
  }

  @Test func `the link of a service that runs is kept`() throws {
    let first = try SocketLink(at: folder.path("lab"), to: service)
    let other = try PrivateReaderService.withVirtualReader(named: "Other")
    #expect(throws: LinkError.self) { try SocketLink(at: first.path, to: other) }
    #expect(target(of: first.path) == service.socketPath)
    first.remove()
  }

  @Test func `what exists is kept, also when the link was replaced`() throws {
    let path = folder.path("lab")
    _ = try folder.write("lab", "mine")
    let error = try #require(throws: LinkError.self) { try SocketLink(at: path, to: service) }
    #expect(error.code == .serviceUnavailable)
    #expect("\(error)".contains("\(path) cannot be made: it exists: name another file"))
    try FileManager.default.removeItem(atPath: path)
    let link = try SocketLink(at: path, to: service)
    try FileManager.default.removeItem(atPath: path)
    _ = try folder.write("lab", "mine")
    link.remove()
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
  }

  @Test func `a folder that does not exist is named`() throws {
    let error = try #require(throws: LinkError.self) { try SocketLink(at: folder.path("none/lab"), to: service) }
    #expect("\(error)".contains("none/lab cannot be made: No such file or directory"))
  }

  @Test(arguments: [0, 1])
  func `a path has at most 107 bytes`(excess: Int) throws {
    let beginning = folder.directory.path + "/"
    let path = beginning + String(repeating: "x", count: SocketLink.maximumPathCount - beginning.utf8.count + excess)
    guard excess > 0 else {
      let link = try SocketLink(at: path, to: service)
      let program = try ProgramRun("opensc-tool", ["--list-readers"], environment: ["PCSCLITE_CSOCK_NAME": link.path])
      #expect(try program.finish() == .exited(0), "\(program.errors)")
      #expect(program.output.contains("Linked 00 00"))
      return link.remove()
    }
    let error = try #require(throws: LinkError.self) { try SocketLink(at: path, to: service) }
    #expect("\(error)".contains("has 108 bytes, and at most 107 are possible"))
    #expect(target(of: path) == nil)
  }
}
