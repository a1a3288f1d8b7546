import TestSupport

/// Clients in Python that behave badly on purpose: each connects, does what its kind does, and reads nothing after it.
enum SlowClients {
  /// What a client does.
  enum Kind: String, CaseIterable {
    /// Sends nothing, not even the beginning of TLS.
    case silent
    /// Sends half the head of a request.
    case half
    /// Has received a response, and sends nothing more.
    case idle
    /// Sends requests and reads no response.
    case unread
  }

  /// Starts clients. The program prints `ready` when all of them have done their part, and `closed` when the server has
  /// closed all connections. It ends after that.
  static func start(_ kinds: [Kind], count: Int, url: String) throws -> ProgramRun {
    try ProgramRun(
      "/usr/bin/python3",
      ["-c", program, String(url.dropFirst("https://127.0.0.1:".count)), "\(count)"] + kinds.map(\.rawValue))
  }

  private static let program = """
    import concurrent.futures, select, socket, ssl, sys
    port, count, kinds = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    tls = ssl.create_default_context()
    tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
    request = b"GET /app-versions/linux HTTP/1.1\\r\\nHost: localhost\\r\\n"
    def start(number):
        kind = kinds[number % len(kinds)]
        client = socket.socket()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(("127.0.0.1", port))
        try:
            if kind != "silent":
                client = tls.wrap_socket(client)
            if kind == "half":
                client.sendall(request)
            if kind == "idle":
                client.sendall(request + b"\\r\\n")
                client.recv(65536)
            if kind == "unread":
                client.settimeout(0.2)
                try:
                    # A response of a page is larger than its request.
                    for _ in range(400):
                        client.sendall((request.replace(b"/app-versions/linux", b"/operator/login") + b"\\r\\n") * 100)
                except (socket.timeout, ssl.SSLWantWriteError):
                    pass
        except OSError:
            return None
        return client
    # At the same time: a client that does not read waits until the buffers of the server are full.
    with concurrent.futures.ThreadPoolExecutor(40) as threads:
        started = list(threads.map(start, range(count)))
    clients = [client for client in started if client]
    print("lost", count - len(clients), flush=True)
    print("ready", flush=True)
    poll = select.poll()
    for client in clients:
        poll.register(client.fileno(), select.POLLRDHUP)
    left = len(clients)
    while left > 0:
        for descriptor, _ in poll.poll():
            poll.unregister(descriptor)
            left -= 1
    print("closed", flush=True)
    """
}
